/** Checks O5 to O7 and O11: how replies begin, what audio they carry, and how they end. */
import { violation } from '../findings.js'
import type { SessionLog, WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isNonEmptyString, show, valueAt } from '../wire-values.js'
import { AUDIO_DELTA, AUDIO_DONE, CANCEL, canonicalEventType, RESPONSE_CREATED, SPEECH_STARTED } from './event-names.js'
import type { Reply, ReplyRules } from './replies.js'

export const OPENAI_REPLY_RULES: ReplyRules = {
  otherEndings: [],
  checks: { created: 'O5', isOpen: 'O5', endsOnce: 'O7' },
}

const STATUSES: readonly unknown[] = ['completed', 'cancelled', 'incomplete', 'failed']

export function* replyChecks(log: SessionLog, replies: readonly Reply[]): Generator<Violation> {
  for (const created of log.received(RESPONSE_CREATED)) {
    const status = valueAt(created.event, 'response', 'status')
    if (status === 'in_progress') continue
    yield violation('O5', `status of response.created is ${show(status)}; "in_progress" is required`, created)
  }
  for (const reply of replies) {
    yield* audioChecks(reply)
    yield* endingChecks(log, reply)
    if (reply.done !== undefined) continue
    yield violation('O11', `response ${show(reply.id)} never ended; response.done is required`, reply.created)
  }
}

/** What is reported of endings and does not fail a session (O7). */
export function* replyNotes(replies: readonly Reply[]): Generator<Violation> {
  for (const { id, done, status, reason } of replies) {
    if (done === undefined) continue
    if (status === 'incomplete') yield violation('O7', `response ${show(id)} is incomplete: ${show(reason)}`, done)
    if (status !== 'cancelled' || reason === 'turn_detected' || reason === 'client_cancelled') continue
    yield violation('O7', `response ${show(id)} was cancelled with the reason ${show(reason)}`, done)
  }
}

/** O6. */
function* audioChecks(reply: Reply): Generator<Violation> {
  const partsDone = new Map<string, WireRecord>()
  let first: WireRecord | undefined
  for (const record of reply.events) {
    const type = canonicalEventType(record.type)
    if (type === AUDIO_DONE) partsDone.set(partOf(record), record)
    if (type !== AUDIO_DELTA) continue
    const { item_id: itemId, content_index: contentIndex } = record.event
    first ??= record
    if (!isNonEmptyString(itemId)) {
      yield violation('O6', `item_id of ${record.type} is ${show(itemId)}; a non-empty string is required`, record)
    } else if (itemId !== first.event.item_id) {
      const began = show(first.event.item_id)
      yield violation('O6', `item_id of ${record.type} is ${show(itemId)}; the reply began with ${began}`, record)
    }
    if (contentIndex !== first.event.content_index) {
      const began = show(first.event.content_index)
      const message = `content_index of ${record.type} is ${show(contentIndex)}; the reply began with ${began}`
      yield violation('O6', message, record)
    }
    // C9 says the same of any audio; a reply that cannot be decoded breaks the rules of replies as well.
    if (record.pcm?.ok === false) yield violation('O6', `delta of ${record.type} ${record.pcm.problem}`, record)
    const done = partsDone.get(partOf(record))
    if (done === undefined) continue
    yield violation('O6', `${record.type} after the end of its part on line ${done.line}`, record)
  }
}

function partOf({ event }: WireRecord): string {
  return `${show(event.item_id)} ${show(event.content_index)}`
}

/** O7. That a reply ends no more than once is seen by the reader. */
function* endingChecks(log: SessionLog, { id, done, status, reason }: Reply): Generator<Violation> {
  if (done === undefined) return
  const name = `response ${show(id)}`
  const happenedBefore = (records: readonly WireRecord[]) => records.some(({ position }) => position < done.position)
  if (!STATUSES.includes(status)) {
    yield violation(
      'O7',
      `${name} ended with the status ${show(status)}; one of ${STATUSES.join(', ')} is required`,
      done,
    )
  }
  if (status === 'failed') {
    const code = valueAt(done.event, 'response', 'status_details', 'error', 'code')
    yield violation('O7', `${name} failed with the code ${show(code)}`, done)
  }
  if (status !== 'cancelled') return
  if (reason === 'turn_detected' && !happenedBefore(log.received(SPEECH_STARTED))) {
    yield violation('O7', `${name} was cancelled with turn_detected before any speech_started`, done)
  }
  if (reason === 'client_cancelled' && !happenedBefore(log.sent(CANCEL))) {
    yield violation('O7', `${name} was cancelled with client_cancelled before any response.cancel was sent`, done)
  }
}
