/** A difference with its interval as a small drawing: 0 in the middle, the band of differences that do not count, the rest. Pure. */
import { html, type Markup } from './markup.js'

const WIDTH = 180
const HEIGHT = 18
const MIDDLE = WIDTH / 2
/** Room for the ends. */
const REACH = MIDDLE - 6

export interface PlottedDifference {
  readonly difference: number | null
  readonly interval: readonly [number, number] | null
  /** Differences up to this do not count; null where none is set. */
  readonly threshold: number | null
  /** In words, for those who do not see it. */
  readonly label: string
}

/** Null where there is nothing to draw. Each drawing has a scale of its own: figures of different kinds share none. */
export function intervalPlot({ difference, interval, threshold, label }: PlottedDifference): Markup | null {
  if (difference === null || interval === null || !interval.every(Number.isFinite)) return null
  const [low, high] = interval
  const most = Math.max(Math.abs(low), Math.abs(high), Math.abs(difference), 1.4 * (threshold ?? 0))
  const x = (value: number) => (MIDDLE + (most === 0 ? 0 : (value / most) * REACH)).toFixed(1)
  const band =
    threshold === null
      ? null
      : html`<rect class="band" x="${x(-threshold)}" y="2" width="${(Number(x(threshold)) - Number(x(-threshold))).toFixed(1)}" height="${HEIGHT - 4}"/>`
  return html`<svg class="interval" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${band}<line class="zero" x1="${MIDDLE}" x2="${MIDDLE}" y1="1" y2="${HEIGHT - 1}"/><line class="range" x1="${x(low)}" x2="${x(high)}" y1="9" y2="9"/><line class="range" x1="${x(low)}" x2="${x(low)}" y1="5" y2="13"/><line class="range" x1="${x(high)}" x2="${x(high)}" y1="5" y2="13"/><circle class="point" cx="${x(difference)}" cy="9" r="3.5"/></svg>`
}

/** To stand behind the page's own style. */
export const INTERVAL_STYLE = `
.interval { display: block; }
.interval .band { fill: var(--grid); }
.interval .zero { stroke: var(--muted); stroke-dasharray: 2 2; }
.interval .range { stroke: var(--accent); stroke-width: 1.5; }
.interval .point { fill: var(--accent); }
tr.worse .interval .range { stroke: var(--bad); }
tr.worse .interval .point { fill: var(--bad); }
tr.worse { background: var(--bad-soft); }
td .mark { white-space: nowrap; }
`
