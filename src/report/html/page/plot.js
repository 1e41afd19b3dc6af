/** Charts in general: mounting with size, theme and keyboard; colours of levels; legends; marks that are not colour alone. */
import { element, within } from './page.js'

/**
 * @typedef {{ bg: string, fg: string, muted: string, grid: string, surface: string, accent: string, bad: string, invalid: string,
 *   stall: string, from: string, to: string, font: string }} Colours
 * @typedef {{ options: Partial<uPlot.Options> & { height: number, series: uPlot.Series[] }, data: uPlot.AlignedData,
 *   say: (plot: uPlot) => string, step?: (plot: uPlot, by: number) => void }} Description
 * @typedef {{ draw: () => void, plot: () => uPlot | undefined }} Mounted
 */

const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3]]

/** @type {(() => void)[]} */
const redraws = []

export function drawAll() {
  for (const draw of redraws) draw()
}

/** @returns {Colours} */
function currentColours() {
  const style = getComputedStyle(document.documentElement)
  const of = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim()
  return {
    bg: of('bg'),
    fg: of('fg'),
    muted: of('muted'),
    grid: of('grid'),
    surface: of('surface'),
    accent: of('accent'),
    bad: of('bad'),
    invalid: of('invalid'),
    stall: of('stall'),
    from: of('ramp-from'),
    to: of('ramp-to'),
    font: getComputedStyle(document.body).fontFamily,
  }
}

/**
 * Draws into a figure, again whenever its width or the theme changes.
 * @param {{ host: HTMLElement, readout: HTMLElement }} place
 * @param {(colours: Colours, width: number) => Description | undefined} describe undefined where there is nothing to show
 * @returns {Mounted}
 */
export function mount({ host, readout }, describe) {
  /** @type {uPlot | undefined} */
  let plot
  /** @type {Description | undefined} */
  let description
  const draw = () => {
    plot?.destroy()
    plot = undefined
    readout.textContent = ''
    const width = Math.max(200, host.clientWidth)
    description = describe(currentColours(), width)
    host.classList.toggle('empty', description === undefined)
    if (description === undefined) return
    const { options, data, say } = description
    const hooks = { ...options.hooks, setCursor: [(/** @type {uPlot} */ own) => show(own, say)] }
    plot = new uPlot({ legend: { show: false }, ...options, width, hooks }, data, host)
  }
  /** @param {uPlot} own @param {(plot: uPlot) => string} say */
  const show = (own, say) => {
    readout.textContent = (own.cursor.left ?? -1) < 0 ? '' : say(own)
  }
  host.addEventListener('keydown', (event) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0 || plot === undefined) return
    event.preventDefault()
    if (description?.step === undefined) stepCursor(plot, by)
    else description.step(plot, by)
  })
  draw()
  new ResizeObserver(() => {
    // After the observer's own round, or the browser reports a loop.
    requestAnimationFrame(() => {
      if (plot !== undefined && Math.max(200, host.clientWidth) !== plot.width) draw()
    })
  }).observe(host)
  redraws.push(draw)
  return { draw, plot: () => plot }
}

/** @param {uPlot} plot @param {number} by */
function stepCursor(plot, by) {
  const xs = plot.data[0]
  const index = plot.cursor.idx == null ? (by > 0 ? 0 : xs.length - 1) : plot.cursor.idx + by
  const x = xs[Math.min(xs.length - 1, Math.max(0, index))]
  if (x !== undefined) plot.setCursor({ left: plot.valToPos(x, 'x'), top: plot.over.clientHeight / 2 })
}

/** @param {HTMLElement} figure */
export function placeIn(figure) {
  return { host: within(figure, '.plot'), readout: within(figure, '.readout') }
}

/** Levels are ordered, and so are their colours: from light to dark, or the other way on a dark page.
 * @param {Colours} colours @param {number} index @param {number} count */
export function levelColour({ from, to }, index, count) {
  const share = count < 2 ? 1 : index / (count - 1)
  const part = (/** @type {string} */ colour, /** @type {number} */ at) => Number.parseInt(colour.slice(at, at + 2), 16)
  const mixed = [1, 3, 5].map((at) => Math.round(part(from, at) + (part(to, at) - part(from, at)) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** @param {number} index */
export function levelDash(index) {
  return DASHES[index % DASHES.length] ?? []
}

/** @param {Colours} colours @param {Partial<uPlot.Axis>} axis @returns {uPlot.Axis} */
export function styledAxis(colours, axis) {
  const font = `11px ${colours.font}`
  return {
    stroke: colours.muted,
    font,
    labelFont: font,
    labelSize: 18,
    grid: { stroke: colours.grid, width: 1 },
    ticks: { stroke: colours.grid, width: 1, size: 4 },
    // Of one line of figures, below the chart; an upright axis says how wide it is.
    size: 28,
    ...axis,
  }
}

/** A dashed line across the chart with its meaning. @param {uPlot} plot @param {number} y @param {string} text @param {string} colour @param {Colours} colours */
export function drawLimit(plot, y, text, colour, { bg }) {
  const { ctx, bbox } = plot
  const at = plot.valToPos(y, 'y', true)
  if (at < bbox.top || at > bbox.top + bbox.height) return
  ctx.save()
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  ctx.lineWidth = 1.5 * uPlot.pxRatio
  ctx.setLineDash([5 * uPlot.pxRatio, 4 * uPlot.pxRatio])
  ctx.beginPath()
  ctx.moveTo(bbox.left, at)
  ctx.lineTo(bbox.left + bbox.width, at)
  ctx.stroke()
  setFont(plot)
  ctx.textAlign = 'left'
  ctx.textBaseline = at - bbox.top < 16 * uPlot.pxRatio ? 'top' : 'bottom'
  const [x, top] = [bbox.left + 4 * uPlot.pxRatio, at + (ctx.textBaseline === 'top' ? 3 : -3) * uPlot.pxRatio]
  ctx.setLineDash([])
  ctx.strokeStyle = bg
  ctx.lineWidth = 4 * uPlot.pxRatio
  ctx.strokeText(text, x, top)
  ctx.fillText(text, x, top)
  ctx.restore()
}

/** @param {uPlot} plot @param {string} [weight] */
export function setFont({ ctx }, weight = '') {
  ctx.font = `${weight} ${11 * uPlot.pxRatio}px ${getComputedStyle(document.body).fontFamily}`.trim()
}

/** Diagonal lines: what must not be told by colour alone. @param {CanvasRenderingContext2D} ctx
 * @param {{ left: number, top: number, width: number, height: number }} box @param {string} colour */
export function hatch(ctx, { left, top, width, height }, colour) {
  const gap = 6 * uPlot.pxRatio
  ctx.save()
  ctx.beginPath()
  ctx.rect(left, top, width, height)
  ctx.clip()
  ctx.strokeStyle = colour
  ctx.lineWidth = uPlot.pxRatio
  ctx.beginPath()
  for (let x = left - height; x < left + width; x += gap) {
    ctx.moveTo(x, top + height)
    ctx.lineTo(x + height, top)
  }
  ctx.stroke()
  ctx.restore()
}

/** @param {CanvasRenderingContext2D} ctx @param {'disc' | 'ring' | 'diamond' | 'cross'} shape
 * @param {number} x @param {number} y @param {number} radius @param {string} colour */
export function mark(ctx, shape, x, y, radius, colour) {
  const r = radius * uPlot.pxRatio
  ctx.save()
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  ctx.lineWidth = 1.5 * uPlot.pxRatio
  ctx.beginPath()
  if (shape === 'disc' || shape === 'ring') ctx.arc(x, y, r, 0, 2 * Math.PI)
  else if (shape === 'diamond') {
    ctx.moveTo(x, y - r * 1.2)
    ctx.lineTo(x + r * 1.2, y)
    ctx.lineTo(x, y + r * 1.2)
    ctx.lineTo(x - r * 1.2, y)
    ctx.closePath()
  } else {
    ctx.moveTo(x - r, y - r)
    ctx.lineTo(x + r, y + r)
    ctx.moveTo(x + r, y - r)
    ctx.lineTo(x - r, y + r)
  }
  if (shape === 'disc' || shape === 'diamond') ctx.fill()
  else ctx.stroke()
  ctx.restore()
}

/** Draws inside the plotting area only. @param {uPlot} plot @param {() => void} draw */
export function clipped({ ctx, bbox }, draw) {
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  draw()
  ctx.restore()
}

/** A small drawing for a legend: a line as the chart has it. @param {string} colour @param {readonly number[]} dash */
export function lineSwatch(colour, dash) {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  svg.setAttribute('width', '26')
  svg.setAttribute('height', '8')
  svg.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS(space, 'line')
  const attributes = { x1: '0', y1: '4', x2: '26', y2: '4', stroke: colour, 'stroke-width': '2.5' }
  for (const [name, value] of Object.entries(attributes)) line.setAttribute(name, value)
  line.setAttribute('stroke-dasharray', dash.join(' '))
  svg.append(line)
  return svg
}

/** @param {HTMLElement} figure @param {readonly (readonly [sign: string, kind: string, text: string])[]} entries */
export function signLegend(figure, entries) {
  within(figure, '.legend').replaceChildren(
    ...entries.map(([sign, kind, text]) =>
      element('span', { class: 'sign' }, [element('span', { class: kind, 'aria-hidden': 'true' }, [sign]), ` ${text}`]),
    ),
  )
}
