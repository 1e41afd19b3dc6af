/** Gives live figures to whoever wants them: a page for Prometheus, and pushes to an OpenTelemetry collector. */
import { createServer, type Server } from 'node:http'
import { request } from 'undici'
import { messageOf, UserError } from '../../base/errors.js'
import { redactUrl } from '../../base/redact.js'
import { toolVersion } from '../../base/version.io.js'
import type { LiveFigure } from './live-figures.js'
import { otlpMetrics, prometheusText } from './live-formats.js'

export interface LiveExport {
  /** Pushes once more, then ends; never throws. */
  close(): Promise<void>
}

type FiguresNow = () => readonly LiveFigure[]

/**
 * @param address `PORT` on this machine alone, or `HOST:PORT`
 * @throws UserError USAGE for an address that is none; PORT_IN_USE
 */
export async function servePrometheus(address: string, figures: FiguresNow): Promise<LiveExport> {
  const { host, port } = parseAddress(address)
  const server = createServer((incoming, response) => {
    if (incoming.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end('look at /metrics\n')
      return
    }
    prometheusText(figures()).then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await listen(server, host, port)
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const PUSH_INTERVAL_MS = 10_000
const PUSH_TIMEOUT_MS = 5_000

/**
 * @param options.url base of the collector, such as http://127.0.0.1:4318, or the whole address of its metrics
 * @param options.headers sent with every push, stored nowhere
 * @throws UserError URL_INVALID
 */
export function pushOtlp(options: {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly figures: FiguresNow
  /** Hears of the first push that fails. */
  readonly onNote: (text: string) => void
}): LiveExport {
  const { headers, figures, onNote } = options
  const target = otlpTarget(options.url)
  let hasComplained = false
  let pushing: Promise<void> = Promise.resolve()
  const push = async (): Promise<void> => {
    const timeUnixNano = `${Date.now()}000000`
    const body = JSON.stringify(otlpMetrics(figures(), { timeUnixNano, toolVersion: toolVersion() }))
    const problem = await post(target, { 'content-type': 'application/json', ...headers }, body)
    if (problem === undefined || hasComplained) return
    hasComplained = true
    onNote(`${redactUrl(target)} took no metrics: ${problem}; the sweep goes on`)
  }
  // One after the other: a slow collector gets fewer pushes.
  const timer = setInterval(() => {
    pushing = pushing.then(push)
  }, PUSH_INTERVAL_MS)
  return {
    async close() {
      clearInterval(timer)
      await pushing.then(push)
    },
  }
}

async function post(url: string, headers: Record<string, string>, body: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(PUSH_TIMEOUT_MS)
    const response = await request(url, { method: 'POST', headers, body, signal })
    await response.body.dump()
    return response.statusCode < 300 ? undefined : `HTTP ${response.statusCode}`
  } catch (thrown) {
    return messageOf(thrown)
  }
}

function otlpTarget(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    throw new UserError({
      code: 'URL_INVALID',
      message: `--otlp ${redactUrl(url)} is no http:// or https:// address`,
      fix: 'such as http://127.0.0.1:4318',
    })
  }
  if (!parsed.pathname.endsWith('/v1/metrics')) parsed.pathname = `${parsed.pathname.replace(/\/+$/, '')}/v1/metrics`
  return parsed.href
}

function parseAddress(address: string): { host: string; port: number } {
  const match = /^(?:(\[[^\]]+\]|[^:[\]]+):)?(\d{1,5})$/.exec(address)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) {
    throw new UserError({
      code: 'USAGE',
      message: `--prometheus ${address} is no port`,
      fix: 'give PORT, or HOST:PORT to be reached from other machines',
    })
  }
  return { host: (match[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new UserError({
          code: 'PORT_IN_USE',
          message: `cannot listen on ${host}:${port}: ${error.code ?? error.message}`,
          fix: 'choose another --prometheus port',
          cause: error,
        }),
      )
    })
    server.listen(port, host, resolve)
  })
}
