/**
 * Reads the server's Prometheus endpoints each second while a level runs, in the parent process and never where packets are
 * sent. An endpoint that is slow, broken or missing is counted and changes nothing else.
 */
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileWhole } from '../../base/atomic-file.io.js'
import { formatSecondsOfUs } from '../../base/clock.js'
import { redactUrl } from '../../base/redact.js'
import { SystemClock } from '../../base/system-clock.io.js'
import { type HttpTarget, httpTarget } from '../http-target.js'
import { seriesFilter } from './chosen-series.js'
import { readMetricsPage } from './metrics-page.io.js'
import { pageValues, SERIES_MAX } from './page-values.js'
import { SERVER_METRICS_FILE, SERVER_METRICS_SCHEMA } from './scrape-record.js'

const INTERVAL_MS = 1000

export interface ServerScraper {
  /** Begins to scrape into the run's folder. */
  begin(runDirectory: string): Promise<void>
  /** Ends it; a scrape that has not been answered is dropped. Resolves when nothing more will be written. */
  end(): Promise<void>
}

export interface ScraperOptions {
  readonly urls: readonly string[]
  /** Series on top of the known ones, `*` for any characters. */
  readonly patterns: readonly string[]
  /** Hears of what is wrong with an endpoint, once for each kind of trouble. */
  readonly onNote: (text: string) => void
}

/** @throws UserError URL_INVALID */
export function metricsTargets(urls: readonly string[]): HttpTarget[] {
  return urls.map((url) => httpTarget(url, { flag: '--server-metrics', example: 'http://gpu-box:9400/metrics' }))
}

/** @throws UserError URL_INVALID */
export function createServerScraper({ urls, patterns, onNote }: ScraperOptions): ServerScraper {
  const isChosen = seriesFilter(patterns)
  const endpoints = metricsTargets(urls).map((target, index) => new Endpoint(target, { index, isChosen, onNote }))
  let timer: NodeJS.Timeout | undefined
  let level: AbortController | undefined
  return {
    async begin(runDirectory) {
      const file = join(runDirectory, SERVER_METRICS_FILE)
      const shown = endpoints.map(({ target }) => redactUrl(target.url))
      const head = { schema: SERVER_METRICS_SCHEMA, interval_s: INTERVAL_MS / 1000, endpoints: shown }
      await writeFileWhole(file, `${JSON.stringify(head)}\n`)
      const controller = new AbortController()
      level = controller
      const scrapeAll = () => {
        for (const endpoint of endpoints) endpoint.scrape(file, controller.signal)
      }
      scrapeAll()
      timer = setInterval(scrapeAll, INTERVAL_MS)
    },
    async end() {
      clearInterval(timer)
      level?.abort()
      await Promise.all(endpoints.map((endpoint) => endpoint.settled()))
    },
  }
}

class Endpoint {
  readonly target: HttpTarget
  readonly #options: Pick<ScraperOptions, 'onNote'> & {
    readonly index: number
    readonly isChosen: ReturnType<typeof seriesFilter>
  }
  readonly #clock = new SystemClock()
  readonly #said = new Set<string>()
  #scraping: Promise<void> | undefined
  #pagesOfLevel = 0
  #seriesOfLevel = 0

  constructor(
    target: HttpTarget,
    options: Pick<ScraperOptions, 'onNote'> & { index: number; isChosen: ReturnType<typeof seriesFilter> },
  ) {
    this.target = target
    this.#options = options
  }

  /** One that has not answered yet is not asked again. */
  scrape(file: string, signal: AbortSignal): void {
    this.#scraping ??= this.#scrape(file, signal).finally(() => {
      this.#scraping = undefined
    })
  }

  /** Waits for the scrape under way; a page without any chosen series is said here, since some come only under load. */
  async settled(): Promise<void> {
    await this.#scraping
    if (this.#pagesOfLevel > 0 && this.#seriesOfLevel === 0) {
      this.#say('none', 'has none of the chosen series; name some with --server-metric')
    }
    this.#pagesOfLevel = 0
    this.#seriesOfLevel = 0
  }

  async #scrape(file: string, signal: AbortSignal): Promise<void> {
    const { index, isChosen } = this.#options
    const timeS = formatSecondsOfUs(this.#clock.nowUs())
    const page = await readMetricsPage(this.target, signal)
    if (signal.aborted) return
    const read = 'text' in page ? pageValues(page.text, isChosen) : page
    if (read.error !== undefined) {
      this.#say('error', `gave no metrics: ${read.error}; the sweep goes on without them`)
    } else if ('values' in read) {
      this.#pagesOfLevel += 1
      this.#seriesOfLevel += Object.keys(read.values ?? {}).length
      if (read.left_out !== undefined) {
        this.#say('many', `has ${SERIES_MAX + read.left_out} chosen series; ${SERIES_MAX} of them are kept`)
      }
    }
    const line = `${JSON.stringify({ time_s: Number(timeS), endpoint: index, ...read })}\n`
    // A full disk is the sweep's own concern, and will be noticed there.
    await appendFile(file, line).catch(() => undefined)
  }

  #say(kind: string, text: string): void {
    if (this.#said.has(kind)) return
    this.#said.add(kind)
    this.#options.onNote(`${redactUrl(this.target.url)} ${text}`)
  }
}
