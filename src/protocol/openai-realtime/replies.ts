/**
 * Follows the replies of a session of the OpenAI family (GA, beta and the duplex dialect of vLLM-Omni). Beside the reader
 * in response-checks.ts, because here names vary, unknown events are tolerated, and indices are the server's choice:
 *
 *   state of an id     response.created   an ending         other response.* that names it
 *   unknown            opens it           not open          not open
 *   open               id used before     ends it           belongs to it
 *   ended              id used before     ended twice       not open
 */
import type { CheckId } from '../check-catalog.js'
import { violation } from '../findings.js'
import type { SessionLog, WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isNonEmptyString, show, valueAt } from '../wire-values.js'
import { canonicalEventType, REPLY_EVENTS, RESPONSE_CREATED, RESPONSE_DONE } from './event-names.js'

export interface ReplyRules {
  /** Types that end the reply they name, beside `response.done`. */
  readonly otherEndings: readonly string[]
  readonly checks: { readonly created: CheckId; readonly isOpen: CheckId; readonly endsOnce: CheckId }
}

export interface Reply {
  readonly id: string
  readonly created: WireRecord
  /** What was received of it while it was open, in order of the trace; its ending is not among them. */
  readonly events: readonly WireRecord[]
  /** The event that ended it; undefined for a reply that never ended. */
  readonly done: WireRecord | undefined
  readonly status: unknown
  readonly reason: unknown
}

interface OpenReply extends Reply {
  readonly events: WireRecord[]
  done: WireRecord | undefined
  status: unknown
  reason: unknown
}

export interface RepliesRead {
  /** In order of creation. */
  readonly replies: readonly Reply[]
  readonly violations: readonly Violation[]
}

export function readReplies(log: SessionLog, { otherEndings, checks }: ReplyRules): RepliesRead {
  const byId = new Map<string, OpenReply>()
  const violations: Violation[] = []
  const report = (check: CheckId, message: string, record: WireRecord) =>
    violations.push(violation(check, message, record))

  for (const record of log.wire) {
    const { direction, event } = record
    const type = canonicalEventType(record.type)
    if (direction !== 'receive' || !type.startsWith('response.')) continue
    const id = replyIdOf(type, record)
    if (type === RESPONSE_CREATED) {
      if (!isNonEmptyString(id)) {
        report(checks.created, `id of response.created is ${show(id)}; a non-empty string is required`, record)
      } else if (byId.has(id)) {
        report(checks.created, `response ${show(id)} was created before; ids must be new`, record)
      } else {
        byId.set(id, { id, created: record, events: [], done: undefined, status: undefined, reason: undefined })
      }
      continue
    }
    // Events that nobody told us of need not name a reply: some belong to an item or to the session.
    if (!REPLY_EVENTS.has(type) && (id === undefined || id === null)) continue
    const reply = typeof id === 'string' ? byId.get(id) : undefined
    const isEnding = type === RESPONSE_DONE || otherEndings.includes(type)
    if (reply === undefined) {
      report(checks.isOpen, `${record.type} names response ${show(id)}, which was never created`, record)
    } else if (reply.done !== undefined) {
      const message = `${record.type} names response ${show(id)}, which ended on line ${reply.done.line}`
      report(isEnding ? checks.endsOnce : checks.isOpen, message, record)
    } else if (isEnding) {
      reply.done = record
      reply.status = valueAt(event, 'response', 'status')
      reply.reason = valueAt(event, 'response', 'status_details', 'reason')
    } else reply.events.push(record)
  }
  return { replies: [...byId.values()], violations }
}

/** The events of a reply that have a type, by its GA name. */
export function eventsOf(reply: Reply, canonicalType: string): readonly WireRecord[] {
  return reply.events.filter(({ type }) => canonicalEventType(type) === canonicalType)
}

/** Whether a reply was open when a record crossed the wire. */
export function isOpenAt({ created, done }: Reply, { position }: WireRecord): boolean {
  return created.position < position && (done === undefined || done.position > position)
}

/** Created and done hold the id in their `response`; some servers name it beside, as all other events do. */
function replyIdOf(type: string, { event }: WireRecord): unknown {
  const inside = type === RESPONSE_CREATED || type === RESPONSE_DONE ? valueAt(event, 'response', 'id') : undefined
  return inside ?? event.response_id
}
