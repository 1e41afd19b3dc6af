/**
 * Reads the server's Prometheus endpoints each second while a level runs, in the parent process and never where packets are
 * sent. An endpoint that is slow, broken or missing is counted and changes nothing else.
 */
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { writeFileWhole } from '../../base/atomic-file.io.js'
import { formatSecondsOfUs } from '../../base/clock.js'
import { messageOf, UserError } from '../../base/errors.js'
import { redactUrl } from '../../base/redact.js'
import { SystemClock } from '../../base/system-clock.io.js'
import { isCounter, seriesFilter } from './chosen-series.js'
import { parsePrometheusText, seriesText } from './prometheus-text.js'
import { type Scrape, SERVER_METRICS_FILE, SERVER_METRICS_SCHEMA } from './scrape-record.js'

const INTERVAL_MS = 1000
const TIMEOUT_MS = 2000
const BODY_BYTES_MAX = 8 * 1024 * 1024

export interface ServerScraper {
  /** Begins to scrape into the run's folder. */
  begin(runDirectory: string): Promise<void>
  /** Ends it; resolves when everything is written. */
  end(): Promise<void>
}

export interface ScraperOptions {
  readonly urls: readonly string[]
  /** Series on top of the known ones, `*` for any characters. */
  readonly patterns: readonly string[]
  /** Hears of an endpoint's first failure. */
  readonly onNote: (text: string) => void
}

/** @throws UserError URL_INVALID */
export function createServerScraper({ urls, patterns, onNote }: ScraperOptions): ServerScraper {
  for (const url of urls) checkUrl(url)
  const clock = new SystemClock()
  const isChosen = seriesFilter(patterns)
  const shown = urls.map(redactUrl)
  const complained = new Set<number>()
  let file: string | undefined
  let timer: NodeJS.Timeout | undefined
  const busy = new Set<number>()
  let writing: Promise<void> = Promise.resolve()

  const scrape = async (endpoint: number): Promise<void> => {
    // An endpoint that has not answered yet is not asked again.
    if (busy.has(endpoint)) return
    const target = file
    if (target === undefined) return
    busy.add(endpoint)
    const timeS = formatSecondsOfUs(clock.nowUs())
    const read = await readEndpoint(urls[endpoint] as string, isChosen)
    busy.delete(endpoint)
    if (read.error !== undefined && !complained.has(endpoint)) {
      complained.add(endpoint)
      onNote(`${shown[endpoint]} gave no metrics: ${read.error}; the sweep goes on without them`)
    }
    const line = `${JSON.stringify({ time_s: Number(timeS), endpoint, ...read })}\n`
    // A full disk is the sweep's own concern, and will be noticed there.
    writing = writing.then(() => appendFile(target, line)).catch(() => undefined)
  }
  const scrapeAll = () => {
    for (const endpoint of urls.keys()) void scrape(endpoint)
  }

  return {
    async begin(runDirectory) {
      const path = join(runDirectory, SERVER_METRICS_FILE)
      const head = { schema: SERVER_METRICS_SCHEMA, interval_s: INTERVAL_MS / 1000, endpoints: shown }
      await writeFileWhole(path, `${JSON.stringify(head)}\n`)
      file = path
      scrapeAll()
      timer = setInterval(scrapeAll, INTERVAL_MS)
    },
    async end() {
      if (timer !== undefined) clearInterval(timer)
      timer = undefined
      file = undefined
      await writing
    },
  }
}

async function readEndpoint(
  url: string,
  isChosen: ReturnType<typeof seriesFilter>,
): Promise<Pick<Scrape, 'values' | 'counters' | 'error'>> {
  try {
    const { statusCode, body } = await request(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.9,*/*;q=0.1' },
    })
    if (statusCode !== 200) {
      await body.dump()
      return { error: `HTTP ${statusCode}` }
    }
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of body) {
      bytes += (part as Buffer).byteLength
      if (bytes > BODY_BYTES_MAX) return { error: `more than ${BODY_BYTES_MAX / 1024 / 1024} MB` }
      parts.push(part as Buffer)
    }
    return chosenValues(Buffer.concat(parts).toString('utf8'), isChosen)
  } catch (thrown) {
    const isTimeout = thrown instanceof Error && thrown.name === 'TimeoutError'
    return { error: isTimeout ? `no answer within ${TIMEOUT_MS / 1000} s` : messageOf(thrown) }
  }
}

function chosenValues(
  text: string,
  isChosen: ReturnType<typeof seriesFilter>,
): Pick<Scrape, 'values' | 'counters' | 'error'> {
  const { samples, types } = parsePrometheusText(text)
  const values: Record<string, number> = {}
  const counters: string[] = []
  for (const sample of samples) {
    if (!isChosen(sample) || !Number.isFinite(sample.value)) continue
    const series = seriesText(sample)
    values[series] = sample.value
    if (isCounter(sample.name, types.get(sample.name) ?? types.get(sample.name.replace(/_total$/, '')))) {
      counters.push(series)
    }
  }
  return counters.length === 0 ? { values } : { values, counters }
}

function checkUrl(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined
  if (protocol === 'http:' || protocol === 'https:') return
  throw new UserError({
    code: 'URL_INVALID',
    message: `--server-metrics ${redactUrl(url)} is no http:// or https:// address`,
    fix: 'such as http://gpu-box:9400/metrics',
  })
}
