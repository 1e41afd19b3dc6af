/** Checks T5 to T9: how replies end, and that nothing of them comes after the input is drained. */
import { violation } from '../findings.js'
import { endingOf, type ResponseFacts } from '../response-checks.js'
import { DRAINED, SPEECH_STARTED } from '../session/event-types.js'
import type { SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show } from '../wire-values.js'

const ACCEPTED_ENDINGS: readonly string[] = ['completed/stop', 'completed/empty_turn', 'cancelled/interrupted']

export function* turnBasedResponseChecks(log: SessionLog, responses: readonly ResponseFacts[]): Generator<Violation> {
  for (const response of responses) {
    const { done } = response
    const name = `response ${show(response.id)}`
    if (done === undefined) {
      yield violation('T8', `${name} never ended; response.done is required`, response.created)
      continue
    }
    const ending = endingOf(response)
    if (!ACCEPTED_ENDINGS.includes(ending)) {
      yield violation('T5', `${name} ended with ${ending}; accepted are ${ACCEPTED_ENDINGS.join(', ')}`, done)
    }
    if (response.reason === 'empty_turn' && response.audioDeltas.length > 0) {
      yield violation('T7', `${name} ended with empty_turn after ${response.audioDeltas.length} audio deltas`, done)
    }
  }
  yield* cancellationChecks(log, responses)
  const drained = log.received(DRAINED)[0]
  if (drained === undefined) return
  for (const { type, direction, line } of log.wire.slice(drained.position + 1)) {
    if (direction !== 'receive' || !type.startsWith('response.')) continue
    yield violation('T9', `${type} after sglang.input_audio.drained on line ${drained.line}`, { line })
  }
}

/** T6. The speech that interrupts a reply may begin before the reply exists, so starts are counted, not matched. */
function* cancellationChecks(log: SessionLog, responses: readonly ResponseFacts[]): Generator<Violation> {
  const starts = log.received(SPEECH_STARTED)
  const cancelled = responses
    .filter((response) => response.status === 'cancelled')
    .flatMap(({ done }) => done ?? [])
    .sort((a, b) => a.position - b.position)
  for (const [index, done] of cancelled.entries()) {
    const startsBefore = starts.filter((start) => start.position < done.position).length
    if (startsBefore > index) continue
    const message = `cancelled response ${index + 1} after ${startsBefore} x speech_started; ${index + 1} are required`
    yield violation('T6', message, done)
  }
}
