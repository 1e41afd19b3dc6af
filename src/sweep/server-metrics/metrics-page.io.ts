/** Asks an endpoint for its page; bounded in time and size. */
import { request } from 'undici'
import { messageOf } from '../../base/errors.js'
import { redactor, secretsOf } from '../../base/redact.js'
import type { HttpTarget } from '../http-target.js'

const TIMEOUT_MS = 2000
const BODY_BYTES_MAX = 8 * 1024 * 1024
const ACCEPT = 'application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.9,*/*;q=0.1'

export type MetricsPage = { readonly text: string } | { readonly error: string }

/** Never throws; errors hold no secret of the address. */
export async function readMetricsPage({ url, headers }: HttpTarget, signal: AbortSignal): Promise<MetricsPage> {
  // Not `AbortSignal.any`: Node 20 holds what it joins weakly, and a collected time limit never strikes.
  const controller = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    controller.abort()
  }, TIMEOUT_MS)
  const onAbort = () => controller.abort()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) controller.abort()
  try {
    const { statusCode, body } = await request(url, {
      signal: controller.signal,
      headers: { accept: ACCEPT, ...headers },
    })
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of body) {
      bytes += (part as Buffer).byteLength
      if (bytes > BODY_BYTES_MAX) return { error: `more than ${BODY_BYTES_MAX / 1024 / 1024} MB` }
      parts.push(part as Buffer)
    }
    return statusCode === 200 ? { text: Buffer.concat(parts).toString('utf8') } : { error: `HTTP ${statusCode}` }
  } catch (thrown) {
    if (isLate) return { error: `no answer within ${TIMEOUT_MS / 1000} s` }
    return { error: redactor(secretsOf({ url, headers }))(messageOf(thrown)) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
