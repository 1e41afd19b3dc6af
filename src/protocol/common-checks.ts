/** Checks C1 to C9, which hold for every protocol: the trace is well formed, and a client really sent audio. */
import type { TraceRecord } from '../capture/trace-record.js'
import { violation } from './findings.js'
import type { SessionLog, WireRecord } from './session-log.js'
import { hasStrictTypes, strictTypeChecks } from './strict-types.js'
import type { Violation } from './verdict.js'
import { isNonEmptyString, show, valueAt } from './wire-values.js'

export interface CommonRules {
  /** Client events may go without an `event_id`; those that have one are held to C4. */
  readonly areClientIdsOptional?: boolean
  /** Servers in front of which a gateway refuses: any status of an answer that is no upgrade counts as a denial (C6). */
  readonly isDeniedByAnyStatus?: boolean
}

export function* commonChecks(log: SessionLog, rules: CommonRules = {}): Generator<Violation> {
  yield* recordChecks(log)
  yield* admissionChecks(log, rules)
  yield* identityChecks(log.wire, rules)
  for (const record of log.wire) {
    if (!hasStrictTypes(record)) yield* strictTypeChecks(record)
    if (record.pcm?.ok === false) yield violation('C9', `${audioFieldOf(record)} ${record.pcm.problem}`, record)
  }
  if (log.packets.length === 0) yield violation('C8', 'no input_audio_buffer.append was sent; at least 1 is required')
}

/** C1, C2, C5: what concerns each line on its own, whatever its direction. */
function* recordChecks(log: SessionLog): Generator<Violation> {
  let previous: TraceRecord | undefined
  for (const line of log.lines) {
    if (!line.ok) {
      yield violation(
        'C1',
        `the line ${line.problem}${line.isCutLastLine ? ' (cut off by the end of the file)' : ''}`,
        line,
      )
      continue
    }
    if (previous !== undefined && line.timeS < previous.timeS) {
      yield violation('C2', `time_s is ${line.timeS}, before ${previous.timeS} on line ${previous.line}`, line)
    }
    previous = line
    if (line.direction === 'error') {
      const message = line.event.message
      yield violation('C5', `client error: ${typeof message === 'string' ? message : show(message)}`, line)
    }
  }
}

/** C6. Counted are admission lines of the right shape and of the wrong one alike: each was a refused upgrade. */
function* admissionChecks(log: SessionLog, { isDeniedByAnyStatus = false }: CommonRules): Generator<Violation> {
  let isConnected = false
  let refusals = 0
  for (const line of log.lines) {
    if (!line.ok) continue
    if (line.direction === 'send' || line.direction === 'receive') isConnected = true
    if (line.direction !== 'admission') continue
    refusals += 1
    const { type, http_status: httpStatus, attempt } = line.event
    if (type !== 'connection_denied' || !(isDeniedByAnyStatus ? isRefusalStatus(httpStatus) : httpStatus === 503)) {
      const found = `type ${show(type)} and http_status ${show(httpStatus)}`
      const status = isDeniedByAnyStatus ? 'a status from 300 to 599' : '503'
      yield violation('C6', `admission line with ${found}; required are "connection_denied" and ${status}`, line)
    }
    if (isConnected) yield violation('C6', 'a refused upgrade after the session had begun', line)
    if (attempt !== refusals) yield violation('C6', `attempt is ${show(attempt)}; the next one is ${refusals}`, line)
    if (refusals > log.admissionRetryLimit) {
      yield violation('C6', `refused upgrade ${refusals}; at most ${log.admissionRetryLimit} may be recorded`, line)
    }
  }
}

function isRefusalStatus(status: unknown): boolean {
  return typeof status === 'number' && Number.isInteger(status) && status >= 300 && status <= 599
}

/** C3, C4. Client and server number their events independently. */
function* identityChecks(
  wire: readonly WireRecord[],
  { areClientIdsOptional = false }: CommonRules,
): Generator<Violation> {
  const lineOfId = { send: new Map<string, number>(), receive: new Map<string, number>() }
  for (const record of wire) {
    const { type, event_id: eventId } = record.event
    if (!isNonEmptyString(type)) {
      yield violation('C3', `event type is ${show(type)}; a non-empty string is required`, record)
    }
    if (areClientIdsOptional && record.direction === 'send' && eventId === undefined) continue
    if (!isNonEmptyString(eventId)) {
      yield violation('C4', `event_id of ${nameOf(record)} is ${show(eventId)}; a non-empty string is required`, record)
      continue
    }
    const lines = lineOfId[record.direction]
    const earlier = lines.get(eventId)
    if (earlier === undefined) lines.set(eventId, record.line)
    else {
      yield violation('C4', `event_id ${show(eventId)} of ${nameOf(record)} was used before on line ${earlier}`, record)
    }
  }
}

function nameOf(record: WireRecord): string {
  return `${record.direction} ${record.type || 'event without type'}`
}

function audioFieldOf(record: WireRecord): string {
  return record.direction === 'send'
    ? `audio of append ${show(valueAt(record.event, 'sglang', 'seq'))}`
    : `delta of ${record.type}`
}
