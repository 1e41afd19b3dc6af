/**
 * Responses: what each one carried and how it ended, and the checks on the events in between. One reader for the
 * session protocols and the legacy dialect, which differ in names, in the place of the audio, and in their check numbers:
 *
 *   state of an id     response.created   delta, done of a part   response.done   other response.*
 *   unknown            opens it           not open                not open        not open, unknown type
 *   open               id used before     content                 ends it         unknown type
 *   ended              id used before     not open                not open        not open, unknown type
 */
import type { CheckId } from './check-catalog.js'
import { violation } from './findings.js'
import { firstPosition, type SessionLog, type WireRecord } from './session-log.js'
import type { Violation } from './verdict.js'
import { isNonEmptyString, show, valueAt } from './wire-values.js'

const CREATED = 'response.created'
const DONE = 'response.done'
const SESSION_UPDATED = 'session.updated'

export interface ResponseRules {
  readonly audioDelta: string
  readonly audioDone: string
  readonly audioContentIndex: number
  readonly textDeltas: readonly string[]
  /** Further types that are allowed and carry nothing to check. */
  readonly otherTypes: readonly string[]
  /** Which responses must have had their `audio.done` when they end. */
  readonly audioDoneRequired: 'where_audio_was_seen' | 'where_completed'
  readonly checks: {
    readonly created: CheckId
    readonly isOpen: CheckId
    readonly audio: CheckId
    readonly audioDone: CheckId
    readonly text: CheckId
    readonly types: CheckId
  }
}

export interface ResponseFacts {
  readonly id: string
  readonly created: WireRecord
  readonly audioDeltas: readonly WireRecord[]
  /** The terminal event; undefined for a response that never ended. */
  readonly done: WireRecord | undefined
  readonly status: unknown
  readonly reason: unknown
}

interface OpenResponse extends ResponseFacts {
  readonly audioDeltas: WireRecord[]
  audioDone: WireRecord | undefined
  done: WireRecord | undefined
  status: unknown
  reason: unknown
}

export interface ResponsesRead {
  /** In order of creation. */
  readonly responses: readonly ResponseFacts[]
  readonly violations: readonly Violation[]
}

export function readResponses(log: SessionLog, rules: ResponseRules): ResponsesRead {
  const { checks } = rules
  const known: ReadonlySet<string> = new Set([
    ...[CREATED, DONE, rules.audioDelta, rules.audioDone],
    ...rules.textDeltas,
    ...rules.otherTypes,
  ])
  const updatedAt = firstPosition(log.received(SESSION_UPDATED))
  const byId = new Map<string, OpenResponse>()
  const violations: Violation[] = []
  const report = (check: CheckId, message: string, record: WireRecord) =>
    violations.push(violation(check, message, record))

  for (const record of log.wire) {
    const { type, event } = record
    if (record.direction !== 'receive' || !type.startsWith('response.')) continue
    if (!known.has(type)) report(checks.types, `unknown response event ${show(type)}`, record)
    if (type === CREATED) {
      const opened = openResponse(record)
      if (record.position < updatedAt) {
        report(checks.created, 'response.created was received before session.updated', record)
      }
      const status = valueAt(event, 'response', 'status')
      if (status !== 'in_progress') {
        report(checks.created, `status of response.created is ${show(status)}; "in_progress" is required`, record)
      }
      if (opened === undefined) {
        const id = show(valueAt(event, 'response', 'id'))
        report(checks.created, `id of response.created is ${id}; a non-empty string is required`, record)
      } else if (byId.has(opened.id)) {
        report(checks.created, `response ${show(opened.id)} was created before; ids must be new`, record)
      } else byId.set(opened.id, opened)
      continue
    }
    const id = type === DONE ? valueAt(event, 'response', 'id') : event.response_id
    const response = typeof id === 'string' ? byId.get(id) : undefined
    const isOpen = response !== undefined && response.done === undefined
    if (!isOpen) {
      const why = response === undefined ? 'was never created' : `ended on line ${response.done?.line}`
      report(checks.isOpen, `${type} names response ${show(id)}, which ${why}`, record)
    }
    if (type === rules.audioDelta) checkAudioDelta(record, isOpen ? response : undefined, rules, report)
    if (rules.textDeltas.includes(type) && typeof event.delta !== 'string') {
      report(checks.text, `delta of ${type} is ${show(event.delta)}; a string is required`, record)
    }
    if (!isOpen) continue
    if (type === rules.audioDone) {
      if (response.audioDone !== undefined) {
        report(checks.audioDone, `second ${type} of response ${show(id)}; at most one is allowed`, record)
      }
      response.audioDone = record
    }
    if (type === DONE) endResponse(record, response, rules, report)
  }
  return { responses: [...byId.values()], violations }
}

type Report = (check: CheckId, message: string, record: WireRecord) => void

function openResponse(created: WireRecord): OpenResponse | undefined {
  const id = valueAt(created.event, 'response', 'id')
  if (!isNonEmptyString(id)) return undefined
  return { id, created, audioDeltas: [], audioDone: undefined, done: undefined, status: undefined, reason: undefined }
}

/** @param response the open response it belongs to; undefined where there is none, which is reported elsewhere */
function checkAudioDelta(
  record: WireRecord,
  response: OpenResponse | undefined,
  { audioContentIndex, checks }: ResponseRules,
  report: Report,
): void {
  const { type, event } = record
  const itemId = event.item_id
  if (!isNonEmptyString(itemId)) {
    report(checks.audio, `item_id of ${type} is ${show(itemId)}; a non-empty string is required`, record)
  }
  for (const [key, required] of [['content_index', audioContentIndex] as const, ['output_index', 0] as const]) {
    if (event[key] === required) continue
    report(checks.audio, `${key} of ${type} is ${show(event[key])}; ${required} is required`, record)
  }
  // C9 says the same of any audio; a reply that cannot be decoded breaks the rules of replies as well.
  if (record.pcm?.ok === false) report(checks.audio, `delta of ${type} ${record.pcm.problem}`, record)
  if (response === undefined) return
  const firstItemId = response.audioDeltas[0]?.event.item_id
  if (isNonEmptyString(itemId) && isNonEmptyString(firstItemId) && itemId !== firstItemId) {
    const message = `item_id of ${type} is ${show(itemId)}; response ${show(response.id)} began with ${show(firstItemId)}`
    report(checks.audio, message, record)
  }
  if (response.audioDone !== undefined) {
    report(checks.audio, `${type} after the audio.done of response ${show(response.id)}`, record)
  }
  response.audioDeltas.push(record)
}

function endResponse(record: WireRecord, response: OpenResponse, rules: ResponseRules, report: Report): void {
  response.done = record
  response.status = valueAt(record.event, 'response', 'status')
  response.reason = valueAt(record.event, 'response', 'status_details', 'reason')
  const mustHaveAudioDone =
    rules.audioDoneRequired === 'where_completed' ? response.status === 'completed' : response.audioDeltas.length > 0
  if (mustHaveAudioDone && response.audioDone === undefined) {
    const message = `response ${show(response.id)} ended without ${rules.audioDone}`
    report(rules.checks.audioDone, message, record)
  }
}

/** How a response ended, as `status/reason`. */
export function endingOf({ status, reason }: ResponseFacts): string {
  return `${typeof status === 'string' ? status : show(status)}/${typeof reason === 'string' ? reason : show(reason)}`
}
