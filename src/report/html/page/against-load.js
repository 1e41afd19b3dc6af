/** Figures against concurrency, each with its interval: the capacity curve, and conversation quality. */
import { element, numberText, percentText, tickText, within } from './page.js'
import { drawLimit, hatch, mark, mount, placeIn, signLegend, styledAxis } from './plot.js'

/** @import { ProfileData } from '../page-data.js' */
/** @import { Colours } from './plot.js' */

/**
 * @typedef {{ x: number, label: string, state: 'meets' | 'misses' | 'invalid', y: number, low: number, high: number,
 *   text: string }} LoadPoint one run of a level; y as drawn
 * @typedef {{ splits: number[], text: (y: number) => string, min: number, max: number }} LoadAxis
 */

/** Linear below a tenth of a percent and logarithmic above, so that 0 has a place and 1% is no hairline. @param {number} ppm */
function missPosition(ppm) {
  return Math.log10(1 + ppm / 1000)
}

const MISS_TICKS_PPM = [0, 1_000, 10_000, 100_000, 1_000_000]

/** @param {HTMLElement} figure @param {ProfileData} profile */
export function capacityChart(figure, profile) {
  const { points, axis, limit } = capacityPoints(profile)
  loadChart(placeIn(figure), { points, axis, limit, height: 300 })
  signLegend(figure, [
    ['●', 'good', 'meets its targets'],
    ['◆', 'bad', 'misses'],
    ['✕', 'void', 'invalid: did not measure the server'],
  ])
}

/** @param {ProfileData} profile @returns {{ points: LoadPoint[], axis: LoadAxis, limit: { y: number, text: string } | null }} */
function capacityPoints({ mode, levels, missTargetPpm, rtfTarget }) {
  const xs = placesOf(levels)
  const pointOf = (/** @type {number} */ index) => {
    const { label = '', state = 'invalid' } = levels[index] ?? {}
    return { x: xs[index] ?? 0, label, state }
  }
  if (mode === 'native') {
    return {
      points: levels.flatMap(({ missPpm }, index) => {
        if (missPpm === null) return []
        const [y, low, high] = [missPosition(missPpm[0]), missPosition(missPpm[1]), missPosition(missPpm[2])]
        const [rate, from, to] = missPpm.map((ppm) => percentText(ppm / 1e6))
        return [{ ...pointOf(index), y, low, high, text: `unit miss ${rate}, ${from} to ${to} at 95%` }]
      }),
      axis: {
        splits: MISS_TICKS_PPM.map(missPosition),
        text: (y) => `${tickText(Math.round(1000 * (10 ** y - 1)) / 1e4)}%`,
        min: 0,
        max: missPosition(1_000_000),
      },
      limit: { y: missPosition(missTargetPpm), text: `target ${tickText(missTargetPpm / 1e4)}%` },
    }
  }
  const isTurnBased = mode === 'turn_based'
  const points = levels.flatMap(({ rtfMilli, failedPpm }, index) => {
    if (isTurnBased && rtfMilli === null) return []
    const y = isTurnBased ? (rtfMilli ?? 0) / 1000 : failedPpm / 10_000
    return [
      {
        ...pointOf(index),
        y,
        low: y,
        high: y,
        text: isTurnBased ? `RTF p90 ${y.toFixed(2)}` : `${y.toFixed(1)}% failed`,
      },
    ]
  })
  const most = Math.max(isTurnBased ? rtfTarget * 1.2 : 10, ...points.map(({ y }) => y * 1.1))
  return {
    points,
    axis: {
      splits: niceSplits(most),
      text: (y) => (isTurnBased ? tickText(y) : `${tickText(y)}%`),
      min: 0,
      max: most,
    },
    limit: isTurnBased ? { y: rtfTarget, text: `target: below ${rtfTarget}` } : null,
  }
}

/**
 * @typedef {{ label: string, concurrency: number, isInvalid: boolean, value: number, low: number | null, high: number | null }} MiniPoint
 */

/** @param {HTMLElement} figure @param {ProfileData} profile */
export function qualityCharts(figure, { quality }) {
  const place = placeForMinis(figure)
  for (const { title, isShare, points } of quality) {
    const of = (/** @type {number} */ size) => (isShare ? `${numberText(size)}%` : `${size.toFixed(2)} s`)
    miniChart(place(title), points, {
      // Millionths to percent, tenths of a millisecond to seconds.
      scale: 10_000,
      say: ([y, low, high], index) => `${of(y)}, ${of(low)} to ${of(high)} at 95%, n ${points[index]?.n}`,
      tick: (y) => (isShare ? `${y}%` : `${tickText(y)} s`),
      least: isShare ? 100 : 0.5,
      isBounded: isShare,
    })
  }
}

/** @param {HTMLElement} figure @param {ProfileData} profile */
export function serverCharts(figure, { server }) {
  const place = placeForMinis(figure)
  for (const { title, points } of server) {
    miniChart(place(title), points, {
      scale: 1,
      say: ([y, low, high]) => `mean ${shortText(y)}, ${shortText(low)} to ${shortText(high)}`,
      tick: shortText,
      least: 0,
      isBounded: false,
    })
  }
}

/** @param {HTMLElement} figure @returns {(title: string) => { host: HTMLElement, readout: HTMLElement }} */
function placeForMinis(figure) {
  const host = within(figure, '.plot')
  host.classList.add('minis')
  host.removeAttribute('tabindex')
  host.setAttribute('role', 'group')
  return (title) => {
    const place = {
      host: element('div', { class: 'plot', role: 'img', tabindex: '0', 'aria-label': title }),
      readout: element('p', { class: 'readout' }),
    }
    host.append(element('div', { class: 'mini' }, [element('h4', {}, [title]), place.host, place.readout]))
    return place
  }
}

/**
 * @param {{ host: HTMLElement, readout: HTMLElement }} place
 * @param {readonly MiniPoint[]} points
 * @param {{ scale: number, say: (sizes: [y: number, low: number, high: number], index: number) => string,
 *   tick: (y: number) => string, least: number, isBounded: boolean }} of `least` is the least height of the axis
 */
function miniChart(place, points, { scale, say, tick, least, isBounded }) {
  const xs = placesOf(points)
  const shown = points.map(({ label, isInvalid, value, low, high }, index) => {
    /** @type {[number, number, number]} */
    const sizes = [value / scale, (low ?? value) / scale, (high ?? value) / scale]
    /** @type {LoadPoint} */
    const point = {
      x: xs[index] ?? 0,
      label,
      state: isInvalid ? 'invalid' : 'meets',
      y: sizes[0],
      low: sizes[1],
      high: sizes[2],
      text: say(sizes, index),
    }
    return point
  })
  const most = isBounded ? least : Math.max(least, ...shown.map(({ high }) => high * 1.1)) || 1
  loadChart(place, {
    points: shown,
    axis: { splits: niceSplits(most), text: tick, min: Math.min(0, ...shown.map(({ low }) => low)), max: most },
    limit: null,
    height: 190,
  })
}

/** Long numbers with a prefix. @param {number} value */
function shortText(value) {
  const size = Math.abs(value)
  if (size >= 1e9) return `${tickText(Math.round(value / 1e7) / 100)} G`
  if (size >= 1e6) return `${tickText(Math.round(value / 1e4) / 100)} M`
  return tickText(Math.round(value * 100) / 100)
}

/** On a scale of doublings; runs of one level stand side by side. @param {readonly { concurrency: number }[]} levels */
function placesOf(levels) {
  return levels.map(({ concurrency }, index) => {
    const own = levels.flatMap((other, position) => (other.concurrency === concurrency ? [position] : []))
    const rank = own.indexOf(index)
    return Math.log2(concurrency) + (rank - (own.length - 1) / 2) * Math.min(0.14, 0.4 / own.length)
  })
}

/** @param {number} most */
function niceSplits(most) {
  const raw = most / 4
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(6)))
}

/**
 * @param {{ host: HTMLElement, readout: HTMLElement }} place
 * @param {{ points: readonly LoadPoint[], axis: LoadAxis, limit: { y: number, text: string } | null, height: number }} chart
 */
function loadChart(place, { points, axis, limit, height }) {
  const sorted = [...points].sort((a, b) => a.x - b.x)
  mount(place, (colours, width) => {
    if (sorted.length === 0) return undefined
    const xs = sorted.map(({ x }) => x)
    const levels = levelTicks(sorted, width)
    const [least, most] = [Math.min(...xs) - 0.4, Math.max(...xs) + 0.4]
    return {
      options: {
        height,
        padding: [10, 12, 0, 0],
        cursor: { y: false, drag: { x: false, y: false } },
        scales: {
          x: { time: false, range: [least, most] },
          y: { range: [axis.min, axis.max + (axis.max - axis.min) * 0.04] },
        },
        axes: [
          styledAxis(colours, {
            splits: () => levels.map(({ x }) => x),
            values: () => levels.map(({ text }) => text),
            space: 1,
            grid: { show: false },
            label: 'sessions at once',
          }),
          styledAxis(colours, {
            splits: () => axis.splits,
            values: (_plot, values) => values.map(axis.text),
            size: 50,
          }),
        ],
        series: [{}, { stroke: colours.muted, width: 1, points: { show: false } }],
        hooks: {
          drawClear: [(plot) => hatchInvalid(plot, sorted, colours)],
          draw: [
            (plot) => {
              for (const point of sorted) drawPoint(plot, point, colours)
            },
            (plot) => {
              if (limit !== null) drawLimit(plot, limit.y, limit.text, colours.fg, colours)
            },
          ],
        },
      },
      // An invalid level measured nothing, so no line leads through it.
      data: [xs, sorted.map(({ y, state }) => (state === 'invalid' ? null : y))],
      say: (plot) => {
        const point = sorted[plot.cursor.idx ?? 0]
        return point === undefined
          ? ''
          : `Level ${point.label}${point.state === 'meets' ? '' : ` (${point.state})`}: ${point.text}`
      },
    }
  })
}

/** Names of levels below the axis, as many as fit. @param {readonly LoadPoint[]} points @param {number} width */
function levelTicks(points, width) {
  const levels = [...new Map(points.map(({ x, label }) => [label.split(' ')[0] ?? '', x])).entries()]
  const own = levels.map(([text]) => {
    const xs = points.filter(({ label }) => label.split(' ')[0] === text).map(({ x }) => x)
    return { text, x: xs.reduce((sum, x) => sum + x, 0) / xs.length }
  })
  const span = (own.at(-1)?.x ?? 0) - (own[0]?.x ?? 0) + 0.8
  let free = Number.NEGATIVE_INFINITY
  return own.map(({ text, x }) => {
    const pixels = (x / span) * (width - 80)
    const isShown = pixels >= free
    if (isShown) free = pixels + 8 * text.length + 8
    return { x, text: isShown ? text : '' }
  })
}

/** @param {uPlot} plot @param {readonly LoadPoint[]} points @param {Colours} colours */
function hatchInvalid(plot, points, colours) {
  const { ctx, bbox } = plot
  for (const { x, state } of points) {
    if (state !== 'invalid') continue
    const half = Math.min(18 * uPlot.pxRatio, bbox.width / points.length / 3)
    const box = { left: plot.valToPos(x, 'x', true) - half, top: bbox.top, width: 2 * half, height: bbox.height }
    hatch(ctx, box, `${colours.invalid}66`)
  }
}

/** @param {uPlot} plot @param {LoadPoint} point @param {Colours} colours */
function drawPoint(plot, { x, y, low, high, state }, colours) {
  const { ctx } = plot
  const colour = { meets: colours.accent, misses: colours.bad, invalid: colours.invalid }[state]
  const at = plot.valToPos(x, 'x', true)
  const cap = 5 * uPlot.pxRatio
  if (high > low) {
    const [top, bottom] = [plot.valToPos(high, 'y', true), plot.valToPos(low, 'y', true)]
    ctx.save()
    ctx.strokeStyle = colour
    ctx.lineWidth = 1.5 * uPlot.pxRatio
    ctx.beginPath()
    ctx.moveTo(at, top)
    ctx.lineTo(at, bottom)
    for (const end of [top, bottom]) {
      ctx.moveTo(at - cap, end)
      ctx.lineTo(at + cap, end)
    }
    ctx.stroke()
    ctx.restore()
  }
  mark(
    ctx,
    /** @type {const} */ ({ meets: 'disc', misses: 'diamond', invalid: 'cross' })[state],
    at,
    plot.valToPos(y, 'y', true),
    5,
    colour,
  )
}
