/** One curve for each level: percentiles on the axis of HDR histograms, and the share of replies that play. */
import { element, numberText, PAGE, percentileText, tickText, within } from './page.js'
import { drawLimit, levelColour, levelDash, lineSwatch, mark, mount, placeIn, setFont, styledAxis } from './plot.js'

/** @import { Curve, LevelData, ProfileData } from '../page-data.js' */
/** @import { Colours } from './plot.js' */

const PERCENTILE_TICKS = [0, Math.log10(2), 1, Math.log10(20), 2, 3, 4]

/**
 * @typedef {{ x: readonly number[], y: readonly number[] }} Line
 * @typedef {{ level: LevelData, index: number, line: Line, n: number }} LevelLine
 */

/** @param {Curve} curve @returns {Line} in milliseconds */
function lineOfCurve({ n, at }) {
  const below = PAGE.grid.slice(0, at.length - 1).map((place) => place / 1000)
  return { x: [...below, Math.log10(n)], y: at.map((tenths) => tenths / 10) }
}

/**
 * A chart by percentile. Redrawn with `draw` when what it depends on has changed.
 * @param {HTMLElement} figure @param {ProfileData} profile
 * @param {{ curveOf: (level: LevelData) => Curve | null | undefined, limitMs?: number | null, isLog: () => boolean }} options
 */
export function percentileChart(figure, profile, { curveOf, limitMs = null, isLog }) {
  const lines = () =>
    profile.levels.flatMap((level, index) => {
      const curve = curveOf(level)
      return curve == null ? [] : [{ level, index, line: lineOfCurve(curve), n: curve.n }]
    })
  return levelLines(figure, profile, {
    lines,
    limitMs,
    yLabel: 'ms',
    options: (colours, shown) => {
      const end = Math.max(1, ...shown.map(({ line }) => line.x.at(-1) ?? 0))
      return {
        scales: {
          x: { time: false, range: [0, end * 1.04] },
          y: isLog() ? { distr: 3, log: 10 } : { range: (_plot, min, max) => [Math.min(0, min), max * 1.06 || 1] },
        },
        axes: [
          styledAxis(colours, {
            splits: () => PERCENTILE_TICKS.filter((place) => place <= end * 1.04),
            values: (_plot, places) => places.map(percentileText),
            space: 34,
          }),
          styledAxis(colours, {
            values: (_plot, values) => values.map((ms) => (ms === null ? '' : tickText(ms))),
            size: 50,
          }),
        ],
      }
    },
    xText: percentileText,
    yText: (ms) => numberText(ms),
    clamp: () => (isLog() ? 0.1 : Number.NEGATIVE_INFINITY),
  })
}

/** Share of replies that play, with the reader's buffer as an upright line. @param {HTMLElement} figure @param {ProfileData} profile @param {() => number} bufferMs */
export function playsChart(figure, profile, bufferMs) {
  const stepped = uPlot.paths.stepped?.({ align: 1 })
  const lines = () =>
    profile.levels.flatMap((level, index) => {
      const { plays } = level
      if (plays === null) return []
      const x = plays.counts.map((_count, step) => step * plays.stepMs)
      const y = plays.counts.map((count) => (100 * count) / plays.n)
      const end = playsEndMs(profile)
      // Beyond its last count nothing changes.
      if ((x.at(-1) ?? 0) < end) {
        x.push(end)
        y.push(y.at(-1) ?? 0)
      }
      return [{ level, index, line: { x, y }, n: plays.n }]
    })
  return levelLines(figure, profile, {
    lines,
    limitMs: null,
    yLabel: '%',
    options: (colours) => ({
      scales: { x: { time: false, range: [0, playsEndMs(profile)] }, y: { range: [0, 103] } },
      axes: [
        styledAxis(colours, { values: (_plot, values) => values.map((ms) => `${ms} ms`), space: 60 }),
        styledAxis(colours, {
          values: (_plot, values) => values.map((share) => (share > 100 ? '' : `${share}%`)),
          size: 50,
        }),
      ],
      hooks: {
        draw: [
          (plot) => {
            const at = plot.valToPos(bufferMs(), 'x', true)
            const { ctx, bbox } = plot
            ctx.save()
            ctx.fillStyle = colours.accent
            ctx.fillRect(at - uPlot.pxRatio, bbox.top, 2 * uPlot.pxRatio, bbox.height)
            ctx.restore()
            for (const { level, index } of lines()) {
              const y = plot.valToPos(100 * playedShare(level, bufferMs()), 'y', true)
              mark(ctx, 'disc', at, y, 4, levelColour(colours, index, profile.levels.length))
            }
          },
        ],
      },
    }),
    xText: (ms) => `${Math.round(ms)} ms`,
    yText: (share) => `${share.toFixed(1)}%`,
    // A share holds up to the next buffer that was counted.
    ...(stepped === undefined ? {} : { paths: stepped }),
    clamp: () => Number.NEGATIVE_INFINITY,
  })
}

/** Where the last level's curve ends, with some room. @param {ProfileData} profile */
export function playsEndMs({ levels }) {
  const last = Math.max(
    0,
    ...levels.map(({ plays }) => (plays === null ? 0 : (plays.counts.length - 1) * plays.stepMs)),
  )
  return Math.min(3000, Math.max(200, Math.ceil((last * 1.1) / 100) * 100))
}

/** @param {LevelData} level @param {number} bufferMs */
export function playedShare({ plays }, bufferMs) {
  if (plays === null) return 0
  const step = Math.min(plays.counts.length - 1, Math.floor(bufferMs / plays.stepMs))
  return (plays.counts[step] ?? 0) / plays.n
}

/**
 * @param {HTMLElement} figure @param {ProfileData} profile
 * @param {{ lines: () => LevelLine[], limitMs: number | null, yLabel: string, xText: (x: number) => string,
 *   yText: (y: number) => string, clamp: () => number, paths?: uPlot.Series.PathBuilder,
 *   options: (colours: Colours, shown: readonly LevelLine[]) => Partial<uPlot.Options> }} chart
 */
function levelLines(figure, profile, { lines, limitMs, yLabel, options, xText, yText, clamp, paths }) {
  /** @type {Set<number>} */
  const hidden = new Set()
  const mounted = mount(placeIn(figure), (colours) => {
    const all = lines()
    levelLegend(figure, profile, all, hidden, colours, () => mounted.draw())
    const shown = all.filter(({ index }) => !hidden.has(index))
    if (shown.length === 0) return undefined
    const xs = [...new Set(shown.flatMap(({ line }) => line.x))].sort((a, b) => a - b)
    const own = options(colours, shown)
    const columns = shown.map(({ line }) => {
      const at = new Map(line.x.map((x, position) => [x, Math.max(clamp(), line.y[position] ?? 0)]))
      return xs.map((x) => at.get(x) ?? null)
    })
    const limit =
      limitMs === null
        ? []
        : [(/** @type {uPlot} */ plot) => drawLimit(plot, limitMs, `one unit, ${limitMs} ms`, colours.bad, colours)]
    return {
      options: {
        height: 280,
        padding: [8, 28, 0, 0],
        cursor: { y: false, drag: { x: false, y: false } },
        ...own,
        series: [
          {},
          ...shown.map(({ index }) => ({
            stroke: levelColour(colours, index, profile.levels.length),
            width: 2,
            dash: levelDash(index),
            spanGaps: true,
            ...(paths === undefined ? {} : { paths }),
            points: { show: false },
          })),
        ],
        hooks: {
          draw: [
            ...(own.hooks?.draw ?? []),
            ...limit,
            (/** @type {uPlot} */ plot) => endLabels(plot, shown, profile, colours),
          ].flat(),
        },
      },
      data: /** @type {uPlot.AlignedData} */ ([xs, ...columns]),
      say: (plot) => {
        const x = xs[plot.cursor.idx ?? 0] ?? 0
        const parts = shown.map(({ level, line }) => `level ${level.label}: ${valueText(line, x, yText)}`)
        return `${xText(x)} · ${parts.join(' · ')}${yLabel === 'ms' ? ' (ms)' : ''}`
      },
    }
  })
  return mounted
}

/** @param {Line} line @param {number} x @param {(y: number) => string} yText */
function valueText({ x: xs, y }, x, yText) {
  if (x > (xs.at(-1) ?? 0)) return '–'
  const index = xs.findIndex((own) => own >= x)
  return yText(y[index] ?? 0)
}

/** A level's name at the end of its curve, where no other name stands. @param {uPlot} plot @param {readonly LevelLine[]} shown @param {ProfileData} profile @param {Colours} colours */
function endLabels(plot, shown, profile, colours) {
  /** @type {{ x: number, y: number }[]} */
  const taken = []
  plot.ctx.save()
  setFont(plot, 'bold')
  plot.ctx.textBaseline = 'middle'
  plot.ctx.textAlign = 'left'
  for (const { level, index, line } of [...shown].reverse()) {
    const x = plot.valToPos(line.x.at(-1) ?? 0, 'x', true) + 4 * uPlot.pxRatio
    const y = plot.valToPos(Math.max(line.y.at(-1) ?? 0, plot.scales.y?.min ?? 0), 'y', true)
    const isFree = taken.every(
      (other) => Math.abs(other.y - y) > 12 * uPlot.pxRatio || Math.abs(other.x - x) > 30 * uPlot.pxRatio,
    )
    if (!isFree) continue
    taken.push({ x, y })
    plot.ctx.fillStyle = levelColour(colours, index, profile.levels.length)
    plot.ctx.fillText(level.label, x, y)
  }
  plot.ctx.restore()
}

/** @param {HTMLElement} figure @param {ProfileData} profile @param {readonly LevelLine[]} lines @param {Set<number>} hidden @param {Colours} colours @param {() => void} onChange */
function levelLegend(figure, profile, lines, hidden, colours, onChange) {
  const legend = within(figure, '.legend')
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.level : undefined
  const isInside = legend.contains(document.activeElement)
  legend.replaceChildren(
    ...lines.map(({ level, index, n }) => {
      const colour = levelColour(colours, index, profile.levels.length)
      const button = element(
        'button',
        { type: 'button', 'aria-pressed': String(!hidden.has(index)), 'data-level': String(index) },
        [
          lineSwatch(colour, levelDash(index)),
          ` level ${level.label}${level.state === 'invalid' ? ' (invalid)' : ''}, n ${n}`,
        ],
      )
      button.addEventListener('click', () => {
        if (!hidden.delete(index)) hidden.add(index)
        onChange()
      })
      return button
    }),
  )
  if (isInside && focused !== undefined) {
    const again = legend.querySelector(`[data-level="${focused}"]`)
    if (again instanceof HTMLElement) again.focus()
  }
}
