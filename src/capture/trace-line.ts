/** How a line of a trace is written: docs/formats.md, "Trace". */
import { formatSecondsOfUs, type InstantUs } from '../base/clock.js'
import type { TraceDirection } from './trace-record.js'

/** Everything of a line before its event; the event and `}` follow. */
export function traceLineHead(direction: TraceDirection, atUs: InstantUs): string {
  return `{"direction":"${direction}","time_s":${formatSecondsOfUs(atUs)},"event":`
}

/**
 * One line, without its line feed.
 * @param event a JSON text without line feeds
 */
export function traceLine(direction: TraceDirection, atUs: InstantUs, event: string): string {
  return `${traceLineHead(direction, atUs)}${event}}`
}
