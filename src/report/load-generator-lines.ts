/** One line for each level: what the load generator proves of itself. Reads results, measures nothing. */
import type { ServingLevel } from '../sweep/serving-result.js'
import { percent } from '../sweep/verdict-text.js'
import { levelName } from './level-table.js'

/** Levels whose load generator kept no record of itself have no line. */
export function loadGeneratorLines(levels: readonly ServingLevel[]): string[] {
  const isMixed = new Set(levels.map(({ profile }) => profile)).size > 1
  return levels.flatMap((row) => {
    const text = loadGeneratorText(row)
    if (text === undefined) return []
    return [`load generator, ${isMixed ? `${row.profile}, ` : ''}level ${levelName(row)}: ${text}`]
  })
}

/** `sends late p99 0.8 ms, max 3.1 ms; event loop p99 1.2 ms; …`; undefined without a record. */
export function loadGeneratorText(row: ServingLevel): string | undefined {
  const { load_generator: own, send_lateness_s: late, headroom } = row
  if (own === null) return undefined
  const { event_loop_delay_ms: loop, receive_delay_ms: receive, gc } = own
  return [
    ...(own.senders === 1 ? [] : [`${own.senders} senders`]),
    ...(row.phases === null ? [] : [`phases ${row.phases}`]),
    ...(late === null ? [] : [`sends late p99 ${ms(late.p99 * 1000)}, max ${ms(late.max * 1000)}`]),
    ...(loop === null ? [] : [`event loop p99 ${ms(loop.p99)}`]),
    receive === null ? 'received late: not measured' : `received late p99 ${ms(receive.p99)}`,
    gc.pauses === 0 ? 'no GC pause' : `GC ${gc.pauses} pause${gc.pauses === 1 ? '' : 's'}, longest ${ms(gc.max_ms)}`,
    ...hostText(own.host),
    ...(headroom === null ? [] : [`${percent(headroom.share)} of what this host can drive`]),
  ].join('; ')
}

function hostText(host: NonNullable<ServingLevel['load_generator']>['host']): string[] {
  const parts = [
    ...(host?.cpu_some == null ? [] : [`host CPU pressure ${percent(host.cpu_some.mean)}`]),
    ...(host?.steal == null ? [] : [host.steal.mean === 0 ? 'no steal' : `steal ${percent(host.steal.mean)}`]),
  ]
  return parts.length === 0 ? [] : [parts.join(', ')]
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
