/** `replies`: one row for each reply that brought audio, in the order of the trace. Columns: docs/exports.md. */
import { sum } from '../../metrics/distribution.js'
import type { ReplyFacts } from '../../metrics/session-facts.js'
import { type Column, type Table, tableOf } from './table.js'
import { SESSION_KEY, secondsOf, sessionsOf, type TabledRun, type TabledSession } from './tabled-run.js'

export function replyTable(runs: readonly TabledRun[]): Table {
  const replies = sessionsOf(runs).flatMap((session) => session.facts.replies.map((reply) => ({ ...session, reply })))
  return tableOf('replies', COLUMNS, replies)
}

interface ReplyRow extends TabledSession {
  readonly reply: ReplyFacts
}

const COLUMNS: readonly Column<ReplyRow>[] = [
  ...SESSION_KEY,
  { name: 'reply', type: 'text', isRequired: true, of: ({ reply }) => reply.id },
  { name: 'first_audio_s', type: 'number', of: ({ reply }) => secondsOf(reply.firstAudioUs) },
  { name: 'buffer_needed_s', type: 'number', isRequired: true, of: ({ reply }) => secondsOf(reply.bufferNeededUs) },
  { name: 'pauses', type: 'integer', isRequired: true, of: ({ reply }) => reply.pausesUs.length },
  { name: 'pause_s', type: 'number', isRequired: true, of: ({ reply }) => secondsOf(sum(reply.pausesUs)) },
  { name: 'rtf', type: 'number', of: ({ reply }) => reply.realTimeFactor },
  { name: 'deltas', type: 'integer', isRequired: true, of: ({ reply }) => reply.deltas },
  { name: 'cut', type: 'boolean', isRequired: true, of: ({ reply }) => reply.isCut },
]
