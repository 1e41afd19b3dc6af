/**
 * The last thing a session does: the model lets go of it, which takes `closeMs`, and the client is told. Where that takes
 * longer than the cleanup deadline, the fatal `cleanup_timeout` takes the place of `session.closed`.
 */
import type { Cancel } from '../base/clock.js'
import { US_PER_MS, usFromSeconds } from '../base/clock.js'
import type { EventSender } from './event-sender.js'
import type { LoopbackSessionParts } from './session.js'

export interface SessionEnding {
  readonly reason: string
  /** Id of the `session.close` that is answered; null when the server ends the session. */
  readonly clientEventId: string | null
  /** WebSocket close code. */
  readonly closeCode: number
}

/** @returns cancels what is left of it, for when the transport goes first */
export function tearDown(
  { clock, options, transport }: Pick<LoopbackSessionParts, 'clock' | 'options' | 'transport'>,
  events: EventSender,
  { reason, clientEventId, closeCode }: SessionEnding,
  onEnd: () => void,
): Cancel {
  const closeUs = Math.round(options.closeMs * US_PER_MS)
  const deadlineUs = usFromSeconds(options.cleanupTimeoutS)
  const finish = () => {
    if (closeUs > deadlineUs) {
      events.fatal('cleanup_timeout', `the teardown took longer than ${options.cleanupTimeoutS} s`)
      transport.close(1011, 'cleanup_timeout')
    } else {
      events.send('session.closed', { reason, client_event_id: clientEventId })
      transport.close(closeCode, reason)
    }
    onEnd()
  }
  if (closeUs > 0) return clock.at(clock.nowUs() + Math.min(closeUs, deadlineUs), finish)
  finish()
  return () => {}
}
