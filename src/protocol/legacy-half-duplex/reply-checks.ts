/** Checks L9, L14 and L15: cleared buffers, how replies end, and events that have no place in this protocol. */
import { violation } from '../findings.js'
import { endingOf, type ResponseFacts } from '../response-checks.js'
import { serverErrorMessage } from '../server-error.js'
import type { SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show } from '../wire-values.js'
import { CREATED, ERROR, INPUT_CLEARED, OBSERVATIONS, OUTPUT_CLEARED, SPEECH_STARTED, UPDATED } from './event-types.js'

const ACCEPTED_ENDINGS: readonly string[] = ['completed/stop', 'completed/length', 'cancelled/turn_detected']
const KNOWN_EVENTS: ReadonlySet<string> = new Set([CREATED, UPDATED, OUTPUT_CLEARED, INPUT_CLEARED, ...OBSERVATIONS])

export function* replyChecks(log: SessionLog, responses: readonly ResponseFacts[]): Generator<Violation> {
  yield* clearedChecks(log, responses)
  yield* endingChecks(log, responses)
  yield* serverEventChecks(log)
}

/** L9. */
function* clearedChecks(log: SessionLog, responses: readonly ResponseFacts[]): Generator<Violation> {
  const createdById = new Map<unknown, number>(responses.map(({ id, created }) => [id, created.position]))
  for (const cleared of log.received(OUTPUT_CLEARED)) {
    const id = cleared.event.response_id
    const createdAt = createdById.get(id)
    if (createdAt !== undefined && createdAt < cleared.position) continue
    yield violation('L9', `output_audio_buffer.cleared names response ${show(id)}, which was never created`, cleared)
  }
  for (const cleared of log.received(INPUT_CLEARED)) {
    yield violation('L9', 'input_audio_buffer.cleared: input audio was lost', cleared)
  }
}

/** L14. A reply that is still open when the client closes is allowed, so only those that ended are judged. */
function* endingChecks(log: SessionLog, responses: readonly ResponseFacts[]): Generator<Violation> {
  const starts = log.received(SPEECH_STARTED)
  for (const response of responses) {
    const { created, done } = response
    if (done === undefined) continue
    const ending = endingOf(response)
    const name = `response ${show(response.id)}`
    if (!ACCEPTED_ENDINGS.includes(ending)) {
      yield violation('L14', `${name} ended with ${ending}; accepted are ${ACCEPTED_ENDINGS.join(', ')}`, done)
    } else if (
      ending === 'cancelled/turn_detected' &&
      !starts.some(({ position }) => position > created.position && position < done.position)
    ) {
      yield violation('L14', `${name} ended with turn_detected, but no speech_started came while it was open`, done)
    }
  }
}

/** L15. Types that begin with `response.` are L13's, so that each unknown event is reported once. */
function* serverEventChecks(log: SessionLog): Generator<Violation> {
  for (const record of log.wire) {
    const { type, direction } = record
    if (direction !== 'receive' || type === '' || type.startsWith('response.') || KNOWN_EVENTS.has(type)) continue
    const message = type === ERROR ? serverErrorMessage(record) : `${show(type)} is no event of this protocol`
    yield violation('L15', message, record)
  }
}
