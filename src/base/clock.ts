/**
 * Time comes from one port. Instants are integer microseconds on one monotonic clock of arbitrary origin, shared by all
 * processes of a host. They are exact as numbers for 285 years, and as the seconds with six decimals of our files for 71.
 */

/** A point on the monotonic clock, integer microseconds. */
export type InstantUs = number
/** A span, integer microseconds unless its name says otherwise. */
export type DurationUs = number

/** Cancels a call that was asked for with `Clock.at`; harmless when it has already happened. */
export type Cancel = () => void

/** A call that is asked for again and again. */
export interface Alarm {
  /** Asks for the call, as `Clock.at` does; in place of one that is pending. */
  set(dueAtUs: InstantUs): void
  clear(): void
}

export interface Clock {
  /** Monotonic; never goes back. */
  nowUs(): InstantUs
  /**
   * Calls `wake` once, at or after `dueAtUs`, never before it. Calls that are due together happen in order of their due
   * time, and in order of asking where due times are equal.
   */
  at(dueAtUs: InstantUs, wake: () => void): Cancel
  /** An alarm that costs no memory each time; clocks that do not care have none, and `alarmOn` makes do with `at`. */
  alarm?(wake: () => void): Alarm
}

export function alarmOn(clock: Clock, wake: () => void): Alarm {
  if (clock.alarm !== undefined) return clock.alarm(wake)
  let cancel: Cancel = () => undefined
  return {
    set: (dueAtUs) => {
      cancel()
      cancel = clock.at(dueAtUs, wake)
    },
    clear: () => cancel(),
  }
}

export const US_PER_S = 1_000_000
export const US_PER_MS = 1_000

/** Seconds as they stand in files to integer microseconds, to the nearest. */
export function usFromSeconds(seconds: number): number {
  return Math.round(seconds * US_PER_S)
}

/** Microseconds to seconds, for files and paper only. */
export function secondsFromUs(us: number): number {
  return us / US_PER_S
}

/** An integer instant as seconds with at most six decimals, exact: `593390.123457`. For hand-written JSON lines. */
export function formatSecondsOfUs(us: InstantUs): string {
  const whole = Math.floor(us / US_PER_S)
  const fraction = us - whole * US_PER_S
  return fraction === 0 ? String(whole) : `${whole}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`
}

/** Resolves at or after `dueAtUs`; rejects with the signal's reason when it is aborted first. */
export function sleepUntil(clock: Clock, dueAtUs: InstantUs, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const onAbort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.at(dueAtUs, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
