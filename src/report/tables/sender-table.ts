/** `senders`: about one row a second of each sending process, as it watched itself. Columns: docs/exports.md. */
import { usFromSeconds } from '../../base/clock.js'
import type { SenderSecond } from '../../capture/self-monitoring.js'
import { type Column, type Table, tableOf } from './table.js'
import { levelSeconds, type TabledRun } from './tabled-run.js'

export function senderTable(runs: readonly TabledRun[]): Table {
  const rows = runs.flatMap((run) =>
    run.senders.flatMap(({ sender, series }) => series.map((second) => ({ run, sender, second }))),
  )
  return tableOf('senders', COLUMNS, rows)
}

interface SenderRow {
  readonly run: TabledRun
  readonly sender: number
  readonly second: SenderSecond
}

const COLUMNS: readonly Column<SenderRow>[] = [
  { name: 'profile', type: 'text', isRequired: true, of: ({ run }) => run.profile.name },
  { name: 'run', type: 'text', isRequired: true, of: ({ run }) => run.label },
  { name: 'concurrency', type: 'integer', isRequired: true, of: ({ run }) => run.concurrency },
  { name: 'repeat', type: 'integer', isRequired: true, of: ({ run }) => run.repeat },
  { name: 'sender', type: 'integer', isRequired: true, of: ({ sender }) => sender },
  { name: 'at_s', type: 'number', of: ({ run, second }) => levelSeconds(run, usFromSeconds(second.at_s)) },
  { name: 'sends', type: 'integer', isRequired: true, of: ({ second }) => second.sends },
  { name: 'send_lateness_p99_ms', type: 'number', of: ({ second }) => second.send_lateness_p99_ms },
  { name: 'send_lateness_max_ms', type: 'number', isRequired: true, of: ({ second }) => second.send_lateness_max_ms },
  { name: 'loop_delay_max_ms', type: 'number', isRequired: true, of: ({ second }) => second.loop_delay_max_ms },
  { name: 'receive_delay_p99_ms', type: 'number', of: ({ second }) => second.receive_delay_p99_ms },
  { name: 'receive_delay_max_ms', type: 'number', of: ({ second }) => second.receive_delay_max_ms },
  { name: 'gc_pauses', type: 'integer', of: ({ second }) => second.gc_pauses },
  { name: 'gc_total_ms', type: 'number', of: ({ second }) => second.gc_total_ms },
  { name: 'gc_max_ms', type: 'number', of: ({ second }) => second.gc_max_ms },
  { name: 'pending_trace_bytes', type: 'number', of: ({ second }) => second.pending_trace_bytes },
  { name: 'pending_writes', type: 'number', of: ({ second }) => second.pending_writes },
  { name: 'open_sessions', type: 'integer', isRequired: true, of: ({ second }) => second.open_sessions },
  { name: 'cpu_share', type: 'number', isRequired: true, of: ({ second }) => second.cpu_share },
  { name: 'rss_mb', type: 'number', of: ({ second }) => second.rss_mb },
]
