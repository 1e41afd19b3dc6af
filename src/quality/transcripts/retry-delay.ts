/** When a failed request is worth another try, and how long to wait before it. Pure. */

export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly attempts: number
  /** Before the second try; doubled before each further one. */
  readonly firstDelayMs: number
  /** Also the bound of what a server may ask for. */
  readonly delayMsMax: number
}

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 5, firstDelayMs: 500, delayMsMax: 60_000 }

const RETRIED_CLIENT_ERRORS = new Set([408, 409, 429])

/** 501 and 505 (HTTP version) say that the server never will. */
export function isRetried(status: number): boolean {
  return RETRIED_CLIENT_ERRORS.has(status) || (status >= 500 && status !== 501 && status !== 505)
}

/**
 * Milliseconds to wait after a failed try.
 * @param failure `attempt` counts from 1; `retryAfter` is the header's value, seconds or a date; `nowMs` the time of day
 */
export function retryDelayMs(
  policy: RetryPolicy,
  failure: { readonly attempt: number; readonly retryAfter: string | undefined; readonly nowMs: number },
): number {
  const backoffMs = Math.min(policy.delayMsMax, policy.firstDelayMs * 2 ** (failure.attempt - 1))
  const askedMs = askedDelayMs(failure.retryAfter, failure.nowMs)
  return askedMs === undefined ? backoffMs : Math.min(policy.delayMsMax, Math.max(0, askedMs))
}

function askedDelayMs(retryAfter: string | undefined, nowMs: number): number | undefined {
  if (retryAfter === undefined) return undefined
  const text = retryAfter.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  const dateMs = Date.parse(text)
  return Number.isNaN(dateMs) ? undefined : dateMs - nowMs
}
