/** Over the time of one level: unit lag with the client's own stalls in the same scale, and below, what the client did late. */
import { msText, tickText } from './page.js'
import { clipped, drawLimit, hatch, mark, mount, placeIn, signLegend, styledAxis } from './plot.js'

/** @import { LevelData, ProfileData } from '../page-data.js' */
/** @import { Colours, Description } from './plot.js' */

/** @param {LevelData} level */
function binCentresS({ time }) {
  return time.open.map((_open, index) => ((index + 0.5) * time.binMs) / 1000)
}

/** @param {HTMLElement} figure @param {ProfileData} profile @param {() => LevelData | undefined} levelNow */
export function lagOverTime(figure, profile, levelNow) {
  return mount(placeIn(figure), (colours) => {
    const level = levelNow()
    if (level === undefined || (level.time.points ?? level.time.bins ?? []).length === 0) {
      signLegend(figure, [])
      return undefined
    }
    return level.time.points === null
      ? lagBins(figure, profile, level, colours)
      : lagDots(figure, profile, level, colours)
  })
}

/** @param {ProfileData} profile @param {LevelData} level @param {Colours} colours @param {number} most @param {number} least */
function timeOptions({ unitMs }, level, colours, most, least) {
  return {
    height: 260,
    padding: /** @type {uPlot.Padding} */ ([10, 12, 0, 0]),
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: `time-${level.label}` } },
    scales: {
      x: { time: false, range: timeRange(level) },
      y: {
        range: /** @type {uPlot.Range.MinMax} */ ([Math.min(0, least * 1.05), Math.max(most, unitMs ?? 0) * 1.08 || 1]),
      },
    },
    axes: [
      styledAxis(colours, { values: (_plot, values) => values.map((s) => `${s} s`) }),
      styledAxis(colours, { values: (_plot, values) => values.map(tickText), label: 'ms', size: 46 }),
    ],
    hooks: {
      drawClear: [(/** @type {uPlot} */ plot) => drawStalls(plot, level, colours)],
      draw: [
        (/** @type {uPlot} */ plot) => {
          if (unitMs !== null) drawLimit(plot, unitMs, `one unit, ${unitMs} ms`, colours.bad, colours)
        },
      ],
    },
  }
}

/** @param {LevelData} level @returns {uPlot.Range.MinMax} */
function timeRange({ time }) {
  return [0, Math.max(1, (time.spanMs / 1000) * 1.01)]
}

/** @param {HTMLElement} figure @param {ProfileData} profile @param {LevelData} level @param {Colours} colours @returns {Description} */
function lagDots(figure, profile, level, colours) {
  const points = level.time.points ?? []
  const xs = points.map(([at]) => at / 1000)
  const ys = points.map(([, lag]) => lag / 10)
  const limit = profile.unitMs ?? Number.POSITIVE_INFINITY
  const options = timeOptions(profile, level, colours, Math.max(...ys), Math.min(...ys))
  signLegend(figure, [
    ['●', 'good', 'speak unit'],
    ['○', 'good', 'listen unit'],
    ['◆', 'bad', 'missed'],
    ['▨', 'stall', 'client stall'],
  ])
  const drawDots = (/** @type {uPlot} */ plot) =>
    clipped(plot, () => {
      for (const [at, lag, isSpeak] of points) {
        const [x, y] = [plot.valToPos(at / 1000, 'x', true), plot.valToPos(lag / 10, 'y', true)]
        if (lag / 10 > limit) mark(plot.ctx, 'diamond', x, y, 3.5, colours.bad)
        else mark(plot.ctx, isSpeak === 1 ? 'disc' : 'ring', x, y, 3, colours.accent)
      }
    })
  return {
    options: {
      ...options,
      series: [{}, { stroke: 'transparent', points: { show: false } }],
      hooks: { ...options.hooks, draw: [drawDots, ...options.hooks.draw] },
    },
    data: [xs, ys],
    say: (plot) => {
      const point = points[plot.cursor.idx ?? 0]
      if (point === undefined) return ''
      const [at, lag, isSpeak] = point
      const kind = `${isSpeak === 1 ? 'speak' : 'listen'} unit${lag / 10 > limit ? ', missed' : ''}`
      return `${(at / 1000).toFixed(1)} s · lag ${msText(lag / 10)} (${kind}) · ${clientText(level, at)}`
    },
  }
}

/** @param {HTMLElement} figure @param {ProfileData} profile @param {LevelData} level @param {Colours} colours @returns {Description} */
function lagBins(figure, profile, level, colours) {
  const bins = level.time.bins ?? []
  const column = (/** @type {0 | 1 | 2} */ which) => bins.map((bin) => (bin === null ? null : bin[which] / 10))
  const most = column(2).reduce((max, value) => Math.max(max ?? 0, value ?? 0), 0) ?? 0
  const options = timeOptions(profile, level, colours, most, 0)
  const seconds = level.time.binMs / 1000
  const each = seconds === 1 ? 'each second' : `each ${seconds} s`
  signLegend(figure, [
    ['━', 'good', `p50 of ${each}`],
    ['┅', 'good', 'p99'],
    ['◆', 'bad', 'max'],
    ['▨', 'stall', 'client stall'],
  ])
  const drawMaxima = (/** @type {uPlot} */ plot) =>
    clipped(plot, () => {
      const xs = binCentresS(level)
      bins.forEach((bin, index) => {
        if (bin === null) return
        mark(
          plot.ctx,
          'diamond',
          plot.valToPos(xs[index] ?? 0, 'x', true),
          plot.valToPos(bin[2] / 10, 'y', true),
          2.5,
          colours.bad,
        )
      })
    })
  return {
    options: {
      ...options,
      series: [
        {},
        { stroke: colours.accent, width: 2, points: { show: false } },
        { stroke: colours.accent, width: 1.5, dash: [5, 3], points: { show: false } },
        { stroke: 'transparent', points: { show: false } },
      ],
      hooks: { ...options.hooks, draw: [drawMaxima, ...options.hooks.draw] },
    },
    data: [binCentresS(level), column(0), column(1), column(2)],
    say: (plot) => {
      const index = plot.cursor.idx ?? 0
      const bin = bins[index]
      const at = (binCentresS(level)[index] ?? 0) * 1000
      const lag =
        bin == null
          ? 'no unit'
          : `lag p50 ${msText(bin[0] / 10)}, p99 ${msText(bin[1] / 10)}, max ${msText(bin[2] / 10)}`
      return `${(at / 1000).toFixed(1)} s · ${lag} · ${clientText(level, at)}`
    },
  }
}

/** @param {HTMLElement} figure @param {() => LevelData | undefined} levelNow */
export function clientOverTime(figure, levelNow) {
  return mount(placeIn(figure), (colours) => {
    const level = levelNow()
    if (
      level === undefined ||
      level.time.open.length === 0 ||
      (level.time.late === null && level.time.stall === null)
    ) {
      signLegend(figure, [])
      return undefined
    }
    const { late, stall, receive } = level.time
    signLegend(figure, [
      ['●', 'good', late === null ? 'send lateness: not recorded' : 'send lateness'],
      ...(receive === null ? [] : [/** @type {[string, string, string]} */ (['┅', 'good', 'receive delay'])]),
      ['▨', 'stall', stall === null ? 'client stall: not recorded' : 'client stall'],
    ])
    const xs = binCentresS(level)
    const millis = (/** @type {readonly (number | null)[] | null} */ tenths) =>
      xs.map((_x, index) => ((tenths?.[index] ?? null) === null ? null : (tenths?.[index] ?? 0) / 10))
    const [lateMs, receiveMs] = [millis(late), millis(receive)]
    const most = [...lateMs, ...receiveMs, ...millis(stall)].reduce((max, ms) => Math.max(max ?? 0, ms ?? 0), 5) ?? 5
    return {
      options: {
        height: 150,
        padding: [8, 12, 0, 0],
        cursor: { y: false, drag: { x: false, y: false }, sync: { key: `time-${level.label}` } },
        scales: { x: { time: false, range: timeRange(level) }, y: { range: [0, most * 1.1] } },
        axes: [
          styledAxis(colours, { values: (_plot, values) => values.map((s) => `${s} s`) }),
          styledAxis(colours, { values: (_plot, values) => values.map(tickText), label: 'ms', size: 46 }),
        ],
        series: [
          {},
          { stroke: colours.accent, width: 1.5, points: { show: true, size: 4, fill: colours.accent } },
          { stroke: colours.accent, width: 1, dash: [4, 3], points: { show: false } },
        ],
        hooks: { drawClear: [(plot) => drawStalls(plot, level, colours)] },
      },
      data: [xs, lateMs, receiveMs],
      say: (plot) => {
        const at = (xs[plot.cursor.idx ?? 0] ?? 0) * 1000
        return `${(at / 1000).toFixed(1)} s · ${clientText(level, at)}`
      },
    }
  })
}

/** @param {LevelData} level @param {number} atMs */
function clientText({ time }, atMs) {
  const bin = Math.floor(atMs / time.binMs)
  const late = time.late?.[bin]
  const stall = time.stall?.[bin]
  const receive = time.receive?.[bin]
  const gc = time.gc?.[bin]
  return [
    `open ${time.open[bin] ?? '–'}`,
    late == null ? '' : `sends at most ${msText(late / 10)} late`,
    receive == null ? '' : `read at most ${msText(receive / 10)} late`,
    stall == null ? '' : `client stall ${msText(stall / 10)}`,
    gc == null || gc === 0 ? '' : `GC pause ${msText(gc / 10)}`,
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

/** @param {uPlot} plot @param {LevelData} level @param {Colours} colours */
function drawStalls(plot, { time }, colours) {
  const zero = plot.valToPos(0, 'y', true)
  const width = plot.valToPos(time.binMs / 1000, 'x', true) - plot.valToPos(0, 'x', true)
  clipped(plot, () => {
    ;(time.stall ?? []).forEach((tenths, index) => {
      if (tenths === 0) return
      const top = Math.min(plot.valToPos(tenths / 10, 'y', true), zero - uPlot.pxRatio)
      const left = plot.valToPos((index * time.binMs) / 1000, 'x', true)
      const box = { left, top, width: Math.max(width - uPlot.pxRatio, uPlot.pxRatio), height: zero - top }
      plot.ctx.fillStyle = `${colours.stall}55`
      plot.ctx.fillRect(box.left, box.top, box.width, box.height)
      hatch(plot.ctx, box, colours.stall)
    })
  })
}
