/** Checks N30 and N35 to N37: when replies may speak and how they may end. */
import { violation } from '../findings.js'
import { endingOf, type ResponseFacts } from '../response-checks.js'
import { CLOSE, DRAINED, END } from '../session/event-types.js'
import { CONTENT_DELTAS } from '../session/response-rules.js'
import { firstPosition, type SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show } from '../wire-values.js'

export function* nativeResponseChecks(log: SessionLog, responses: readonly ResponseFacts[]): Generator<Violation> {
  yield* afterDrainedChecks(log)
  const drainedAt = firstPosition(log.received(DRAINED))
  for (const response of responses) {
    const { done } = response
    if (done === undefined) {
      yield violation('N37', `response ${show(response.id)} never ended; "completed" is required`, response.created)
      continue
    }
    yield* endingChecks(log, response, done.position)
    if (response.status !== 'completed') {
      const message = `response ${show(response.id)} ended as ${show(response.status)}; "completed" is required`
      yield violation('N37', message, done)
    } else if (done.position > drainedAt) {
      yield violation('N36', `response ${show(response.id)} was completed after sglang.input_audio.drained`, done)
    }
  }
}

/** N30. */
function* afterDrainedChecks(log: SessionLog): Generator<Violation> {
  const drained = log.received(DRAINED)[0]
  if (drained === undefined) return
  const closeAt = firstPosition(log.sent(CLOSE))
  const contentDeltas: readonly string[] = CONTENT_DELTAS
  for (const record of log.wire.slice(drained.position + 1)) {
    const { type } = record
    if (record.direction !== 'receive' || !type.startsWith('response.')) continue
    if (contentDeltas.includes(type)) yield violation('N30', `${type} after sglang.input_audio.drained`, record)
    else if (record.position < closeAt) {
      yield violation('N30', `${type} between sglang.input_audio.drained and session.close`, record)
    }
  }
}

/** N35. */
function* endingChecks(log: SessionLog, response: ResponseFacts, doneAt: number): Generator<Violation> {
  const { replies } = log.profile
  const ending = endingOf(response)
  const accepted = ['completed/stop', ...replies.extra_completed_reasons.map((reason) => `completed/${reason}`)]
  accepted.push('cancelled/client_closed')
  const report = (message: string) => violation('N35', `response ${show(response.id)} ${message}`, response.done)
  if (!accepted.includes(ending)) {
    yield report(`ended with ${ending}; accepted are ${accepted.join(', ')}`)
  } else if (ending === 'cancelled/client_closed' && doneAt < firstPosition(log.sent(CLOSE))) {
    yield report('ended with client_closed before session.close was sent')
  } else if (ending === 'completed/stop' && replies.stop_needs_input_end && doneAt < firstPosition(log.sent(END))) {
    yield report('ended with stop before sglang.input_audio.end was sent; it lasts as long as the input')
  }
}
