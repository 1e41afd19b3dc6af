/** Gives live figures to whoever wants them: a page for Prometheus, and pushes to an OpenTelemetry collector. */
import { createServer, type Server } from 'node:http'
import { request } from 'undici'
import { messageOf, UserError } from '../../base/errors.js'
import { redactor, redactUrl, secretsOf } from '../../base/redact.js'
import { toolVersion } from '../../base/version.io.js'
import type { HttpTarget } from '../http-target.js'
import type { LiveFigure } from './live-figures.js'
import { otlpMetrics, prometheusText } from './live-formats.js'
import type { ListenAddress } from './live-targets.js'

export interface LiveExport {
  /** Pushes once more, then ends; never throws. */
  close(): Promise<void>
}

type FiguresNow = () => readonly LiveFigure[]

/** @throws UserError PORT_IN_USE */
export async function servePrometheus({ host, port }: ListenAddress, figures: FiguresNow): Promise<LiveExport> {
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

/** @param options.target address of the metrics, with headers that are sent with every push and stored nowhere */
export function pushOtlp(options: {
  readonly target: HttpTarget
  readonly figures: FiguresNow
  /** Hears of the first push that fails. */
  readonly onNote: (text: string) => void
}): LiveExport {
  const { target, figures, onNote } = options
  let hasComplained = false
  let pushing: Promise<void> = Promise.resolve()
  const push = async (): Promise<void> => {
    const timeUnixNano = `${Date.now()}000000`
    const body = JSON.stringify(otlpMetrics(figures(), { timeUnixNano, toolVersion: toolVersion() }))
    const problem = await post(target, body)
    if (problem === undefined || hasComplained) return
    hasComplained = true
    onNote(`${redactUrl(target.url)} took no metrics: ${problem}; the sweep goes on`)
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

async function post({ url, headers }: HttpTarget, body: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(PUSH_TIMEOUT_MS)
    const all = { 'content-type': 'application/json', ...headers }
    const response = await request(url, { method: 'POST', headers: all, body, signal })
    await response.body.dump()
    return response.statusCode < 300 ? undefined : `HTTP ${response.statusCode}`
  } catch (thrown) {
    const isTimeout = thrown instanceof Error && thrown.name === 'TimeoutError'
    if (isTimeout) return `no answer within ${PUSH_TIMEOUT_MS / 1000} s`
    return redactor(secretsOf({ url, headers }))(messageOf(thrown))
  }
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
