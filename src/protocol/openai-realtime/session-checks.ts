/** Checks O1 to O4 and O12: one session, set up before the audio, and granted as it was asked for. */
import type { WireEvent } from '../../capture/trace-record.js'
import { violation } from '../findings.js'
import { firstPosition, type SessionLog, type WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isNonEmptyString, show, valueAt } from '../wire-values.js'
import { CREATED, ERROR, UPDATE, UPDATED } from './event-names.js'
import { formatText, outputFormatOf, turnDetectionOf } from './session-settings.js'

export function* sessionChecks(log: SessionLog): Generator<Violation> {
  yield* createdChecks(log)
  yield* audioPlaceChecks(log)
  yield* answerChecks(log)
  yield* grantChecks(log)
  for (const record of log.wire) {
    if (!record.type.startsWith('sglang.')) continue
    yield violation('O12', `${record.direction} ${show(record.type)}, which is an event of another protocol`, record)
  }
}

/** O1. */
function* createdChecks(log: SessionLog): Generator<Violation> {
  const created = log.received(CREATED)
  if (created.length !== 1) {
    yield violation('O1', `${created.length} x receive ${CREATED}; exactly 1 is required`, created[1])
  }
  for (const record of created) {
    const id = valueAt(record.event, 'session', 'id')
    if (isNonEmptyString(id)) continue
    yield violation('O1', `session.id of session.created is ${show(id)}; a non-empty string is required`, record)
  }
  const first = created[0]
  if (first === undefined) return
  const early = log.wire.find(({ direction, type }) => direction === 'receive' && type !== ERROR)
  if (early === undefined || early === first) return
  yield violation('O1', `${early.type || 'an event'} was received before session.created on line ${first.line}`, early)
}

/** O2. A client may leave the defaults as they are; then there is no answer to wait for. */
function* audioPlaceChecks(log: SessionLog): Generator<Violation> {
  const gate = log.sent(UPDATE).length > 0 ? UPDATED : CREATED
  const opensAt = firstPosition(log.received(gate))
  for (const { record } of log.packets) {
    if (record.position > opensAt) continue
    yield violation('O2', `input_audio_buffer.append was sent before ${gate} was received`, record)
  }
}

/** O3. Answers do not say what they answer, so they are counted; an update that an `error` names has had its answer. */
function* answerChecks(log: SessionLog): Generator<Violation> {
  const refused = new Set(log.received(ERROR).map(({ event }) => valueAt(event, 'error', 'event_id')))
  let waiting: WireRecord[] = []
  for (const record of log.wire) {
    if (record.direction === 'send' && record.type === UPDATE && !isNamedBy(refused, record)) waiting.push(record)
    if (record.direction !== 'receive' || record.type !== UPDATED) continue
    if (waiting.length === 0)
      yield violation('O3', 'session.updated was received while no update waited for it', record)
    waiting = waiting.slice(1)
  }
  for (const update of waiting) {
    yield violation('O3', 'this session.update was answered by no session.updated and no error that names it', update)
  }
}

function isNamedBy(ids: ReadonlySet<unknown>, { event }: WireRecord): boolean {
  return isNonEmptyString(event.event_id) && ids.has(event.event_id)
}

/** O4. Updates add up: an answer must show what the latest update asked for that spoke of it. */
function* grantChecks(log: SessionLog): Generator<Violation> {
  for (const updated of log.received(UPDATED)) {
    const before = log.sent(UPDATE).filter(({ position }) => position < updated.position)
    const latest = <T>(read: (event: WireEvent) => T | undefined) =>
      before.map(({ event }) => read(event)).findLast((value) => value !== undefined)

    const format = outputFormatOf(updated.event)
    const wantedFormat = latest(outputFormatOf) ?? formatText('audio/pcm', log.profile.output.sample_rate_hz)
    if (format !== wantedFormat) {
      const message = `output format of session.updated is ${format ?? 'absent'}; ${wantedFormat} is required`
      yield violation('O4', message, updated)
    }
    const wanted = latest(turnDetectionOf)
    const wantedType = wanted === null ? null : valueAt(wanted, 'type')
    if (wantedType === undefined) continue
    const granted = turnDetectionOf(updated.event)
    const type = granted === null || granted === undefined ? null : valueAt(granted, 'type')
    if (type === wantedType) continue
    const asked = wantedType === null ? 'manual turns (null)' : show(wantedType)
    yield violation('O4', `turn detection of session.updated is ${show(type)}; asked for was ${asked}`, updated)
  }
}
