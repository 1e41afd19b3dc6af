/** One session from end to end, in lanes: what was sent, what the server was done with, what came back, how it would have played. */
import { msText, within } from './page.js'
import { clipped, hatch, mark, mount, placeIn, setFont, styledAxis } from './plot.js'

/** @import { LevelData, ProfileData, TimelineData } from '../page-data.js' */
/** @import { Colours } from './plot.js' */

/**
 * @typedef {'input' | 'units' | 'audio' | 'playout' | 'events' | 'client'} LaneName
 * @typedef {{ lane: LaneName, row: number, from: number, to: number, text: string, look: string }} Item instants in seconds
 */

/** Rows of bars that overlap in time, at most; those beyond share rows. */
const ROWS_MAX = 8
const LATE_SEND_TENTHS = 200

/** @param {HTMLElement} figure @param {ProfileData} profile @param {() => LevelData | undefined} levelNow */
export function sessionView(figure, profile, levelNow) {
  /** @type {readonly [number, number] | undefined} */
  let window
  /** @type {Item | undefined} */
  let chosen
  const mounted = mount(placeIn(figure), (colours) => {
    window = undefined
    chosen = undefined
    const session = levelNow()?.session
    if (session == null) return undefined
    const items = sessionItems(session, profile)
    if (items.length === 0) return undefined
    const lanes = lanesOf(items)
    const whole = wholeRange(items, session)
    const nearest = (/** @type {uPlot} */ plot) => {
      const x = plot.posToVal(plot.cursor.left ?? 0, 'x')
      const y = plot.posToVal(plot.cursor.top ?? 0, 'y')
      const reach = plot.posToVal(6, 'x') - plot.posToVal(0, 'x')
      const near = items.filter((item) => Math.abs(rowCentre(lanes, item) - y) < 0.55)
      const distance = (/** @type {Item} */ { from, to }) => (x < from ? from - x : x > to ? x - to : 0)
      return near.filter((item) => distance(item) <= reach).sort((a, b) => distance(a) - distance(b))[0]
    }
    return {
      options: {
        height: 40 + lanes.rows * 26,
        padding: [6, 12, 0, 0],
        cursor: { y: false, drag: { x: true, y: false, setScale: true } },
        scales: {
          x: {
            time: false,
            range: (_plot, min, max) =>
              (window ?? (Number.isFinite(min) && max > min ? [min, max] : whole)) && [...(window ?? whole)],
          },
          y: { range: [0, lanes.rows] },
        },
        axes: [
          styledAxis(colours, { values: (_plot, values) => values.map((s) => `${s} s`) }),
          styledAxis(colours, {
            splits: () => lanes.names.map(({ centre }) => centre),
            values: () => lanes.names.map(({ name }) => name),
            grid: { show: false },
            ticks: { show: false },
            size: 62,
            space: 1,
          }),
        ],
        series: [{}, { stroke: 'transparent', points: { show: false } }],
        hooks: {
          setSelect: [
            (plot) => {
              if (plot.select.width < 4) return
              setWindow(plot, [
                plot.posToVal(plot.select.left, 'x'),
                plot.posToVal(plot.select.left + plot.select.width, 'x'),
              ])
            },
          ],
          drawClear: [(plot) => drawLanes(plot, lanes, session, colours)],
          draw: [(plot) => clipped(plot, () => drawItems(plot, items, lanes, colours))],
        },
      },
      data: [whole.slice(), [0, 0]],
      say: (plot) => (plot.cursor.event == null && chosen !== undefined ? chosen.text : (nearest(plot)?.text ?? '')),
      step: (plot, by) => {
        const ordered = [...items].sort((a, b) => a.from - b.from || a.to - b.to)
        const index = chosen === undefined ? (by > 0 ? 0 : ordered.length - 1) : ordered.indexOf(chosen) + by
        chosen = ordered[Math.min(ordered.length - 1, Math.max(0, index))]
        if (chosen === undefined) return
        within(figure, '.readout').textContent = chosen.text
        const { min = 0, max = 0 } = plot.scales.x ?? {}
        if (chosen.from < min || chosen.from > max)
          setWindow(plot, [chosen.from - (max - min) / 2, chosen.from + (max - min) / 2])
        plot.setCursor({ left: plot.valToPos(chosen.from, 'x'), top: plot.valToPos(rowCentre(lanes, chosen), 'y') })
      },
    }
  })
  /** @param {uPlot} plot @param {readonly [number, number]} range */
  const setWindow = (plot, range) => {
    window = range
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    plot.setScale('x', { min: range[0], max: range[1] })
  }
  figure.querySelectorAll('[data-zoom]').forEach((button) => {
    button.addEventListener('click', () => {
      const plot = mounted.plot()
      const { min = 0, max = 1 } = plot?.scales.x ?? {}
      if (plot === undefined) return
      const [span, centre] = [max - min, (min + max) / 2]
      const zoom = button instanceof HTMLElement ? button.dataset.zoom : ''
      if (zoom === 'in') setWindow(plot, [centre - span / 4, centre + span / 4])
      else if (zoom === 'out') setWindow(plot, [centre - span, centre + span])
      else if (zoom === 'left') setWindow(plot, [min - span / 2, max - span / 2])
      else if (zoom === 'right') setWindow(plot, [min + span / 2, max + span / 2])
      else mounted.draw()
    })
  })
  return mounted
}

/** @param {TimelineData} session @param {ProfileData} profile @returns {Item[]} */
function sessionItems(session, { unitMs }) {
  const s = (/** @type {number} */ tenths) => tenths / 10_000
  const at = (/** @type {number} */ tenths) => `${s(tenths).toFixed(3)} s`
  const ms = (/** @type {number} */ tenths) => msText(tenths / 10)
  /** @type {Item[]} */
  const items = []
  session.packets.forEach(([start, late], index) => {
    const isLate = late !== null && late > LATE_SEND_TENTHS
    const text = `packet ${index}, sent at ${at(start)}${late === null ? '' : `, ${ms(late)} after it was due`}`
    items.push({
      lane: 'input',
      row: 0,
      from: s(start - Math.max(0, late ?? 0)),
      to: s(start),
      text,
      look: isLate ? 'late' : 'tick',
    })
  })
  for (const [unit, ready, done, isSpeak] of session.units) {
    if (ready === null) continue
    const kind = isSpeak === 1 ? 'speak' : 'listen'
    const lag = done === null ? null : done - ready
    const isMissed = lag === null || lag > (unitMs ?? Number.POSITIVE_INFINITY) * 10
    const end = done ?? ready + (unitMs ?? 1000) * 10
    const outcome = lag === null ? 'never finished' : `done at ${at(ready + lag)}, lag ${ms(lag)}`
    items.push({
      lane: 'units',
      row: 0,
      from: s(Math.min(ready, end)),
      to: s(end),
      text: `unit ${unit} (${kind}), ready at ${at(ready)}, ${outcome}${isMissed ? ', missed' : ''}`,
      look: lag === null ? 'never' : isMissed ? 'missed' : kind,
    })
  }
  for (const { id, isCut, arrivals, played } of session.replies) {
    arrivals.forEach(([arrival, length], index) => {
      const text = `reply ${id}${isCut ? ' (cut)' : ''}: audio ${index}, ${ms(length)} long, arrived at ${at(arrival)}`
      items.push({ lane: 'audio', row: 0, from: s(arrival), to: s(arrival), text, look: 'arrival' })
    })
    played.forEach(([from, to], index) => {
      const before = played[index - 1]
      if (before !== undefined) {
        const text = `pause of ${ms(from - before[1])} in reply ${id}, from ${at(before[1])} to ${at(from)}`
        items.push({ lane: 'playout', row: 0, from: s(before[1]), to: s(from), text, look: 'pause' })
      }
      items.push({
        lane: 'playout',
        row: 0,
        from: s(from),
        to: s(to),
        text: `reply ${id} plays from ${at(from)} to ${at(to)}`,
        look: 'played',
      })
    })
  }
  session.events.forEach(([when, text, isProblem], index) => {
    items.push({
      lane: 'events',
      row: 0,
      from: s(when),
      to: s(when),
      text: `${index + 1}: ${text}, at ${at(when)}`,
      look: isProblem === 1 ? 'problem' : 'event',
    })
  })
  for (const [due, came] of session.stalls) {
    items.push({
      lane: 'client',
      row: 0,
      from: s(due),
      to: s(came),
      text: `the client stalled for ${ms(came - due)} at ${at(due)}`,
      look: 'stall',
    })
  }
  return items
}

/** @param {readonly Item[]} items */
function lanesOf(items) {
  /** @type {LaneName[]} */
  const order = ['input', 'units', 'audio', 'playout', 'events', 'client']
  /** @type {{ name: LaneName, first: number, rows: number }[]} */
  const placed = []
  let rows = 0
  for (const name of order) {
    const own = items.filter(({ lane }) => lane === name)
    if (own.length === 0) continue
    const count = name === 'units' || name === 'playout' ? spreadOverRows(own) : 1
    placed.push({ name, first: rows, rows: count })
    rows += count
  }
  return {
    rows,
    placed,
    names: placed.map(({ name, first, rows: count }) => ({ name, centre: rows - first - count / 2 })),
  }
}

/** Bars that overlap stand below each other. @param {readonly Item[]} items @returns {number} rows taken */
function spreadOverRows(items) {
  /** @type {number[]} */
  const free = []
  for (const item of [...items].sort((a, b) => a.from - b.from)) {
    const found = free.findIndex((until) => until <= item.from + 1e-9)
    const row = found >= 0 ? found : free.length < ROWS_MAX ? free.length : free.indexOf(Math.min(...free))
    free[row] = Math.max(item.to, free[row] ?? 0)
    item.row = row
  }
  return Math.max(1, free.length)
}

/** @param {ReturnType<typeof lanesOf>} lanes @param {Item} item */
function rowCentre({ rows, placed }, { lane, row }) {
  return rows - (placed.find(({ name }) => name === lane)?.first ?? 0) - row - 0.5
}

/** @param {readonly Item[]} items @param {TimelineData} session @returns {[number, number]} */
function wholeRange(items, session) {
  const from = items.reduce((least, item) => Math.min(least, item.from), 0)
  const to = items.reduce((most, item) => Math.max(most, item.to), (session.inputEnd ?? 0) / 10_000)
  const room = Math.max(0.02, (to - from) * 0.02)
  return [from - room, to + room]
}

/** @param {uPlot} plot @param {ReturnType<typeof lanesOf>} lanes @param {TimelineData} session @param {Colours} colours */
function drawLanes(plot, { rows, placed }, session, colours) {
  const { ctx, bbox } = plot
  clipped(plot, () => {
    placed.forEach(({ first, rows: count }, index) => {
      if (index % 2 === 1) return
      const top = plot.valToPos(rows - first, 'y', true)
      ctx.fillStyle = colours.surface
      ctx.fillRect(bbox.left, top, bbox.width, plot.valToPos(rows - first - count, 'y', true) - top)
    })
    if (session.inputEnd === null) return
    ctx.fillStyle = colours.muted
    const end = plot.valToPos(session.inputEnd / 10_000, 'x', true)
    ctx.fillRect(end, bbox.top, uPlot.pxRatio, bbox.height)
    setFont(plot)
    const text = 'input ends'
    const isRoom = end + ctx.measureText(text).width + 6 < bbox.left + bbox.width
    ctx.textAlign = isRoom ? 'left' : 'right'
    // Beside the last packet, where the lane of the input is empty.
    ctx.textBaseline = 'middle'
    ctx.fillText(text, end + (isRoom ? 4 : -4) * uPlot.pxRatio, plot.valToPos(rows - 0.5, 'y', true))
  })
}

/** @param {uPlot} plot @param {readonly Item[]} items @param {ReturnType<typeof lanesOf>} lanes @param {Colours} colours */
function drawItems(plot, items, lanes, colours) {
  const { ctx } = plot
  const px = uPlot.pxRatio
  // Problems last, where nothing covers them.
  for (const item of [...items].sort((a, b) => Number(a.look === 'problem') - Number(b.look === 'problem'))) {
    const centre = plot.valToPos(rowCentre(lanes, item), 'y', true)
    const [from, to] = [plot.valToPos(item.from, 'x', true), plot.valToPos(item.to, 'x', true)]
    const half = 8 * px
    const box = { left: from, top: centre - half, width: Math.max(to - from, px), height: 2 * half }
    const fill = (/** @type {string} */ colour, grow = 0) => {
      ctx.fillStyle = colour
      ctx.fillRect(box.left, box.top - grow, Math.max(box.width - 0.5 * px, px), box.height + 2 * grow)
    }
    const outline = (/** @type {string} */ colour) => {
      ctx.strokeStyle = colour
      ctx.lineWidth = px
      ctx.strokeRect(box.left, box.top, box.width, box.height)
    }
    if (item.look === 'tick') {
      ctx.fillStyle = colours.muted
      ctx.fillRect(to, centre - 5 * px, px, 10 * px)
    } else if (item.look === 'arrival') {
      ctx.fillStyle = colours.accent
      ctx.fillRect(from, centre - 7 * px, px, 14 * px)
    } else if (item.look === 'late') {
      fill(`${colours.bad}66`)
      outline(colours.bad)
    } else if (item.look === 'speak' || item.look === 'played') fill(`${colours.accent}cc`)
    else if (item.look === 'listen') {
      fill(`${colours.accent}44`)
      outline(colours.accent)
    } else if (item.look === 'event') mark(ctx, 'disc', from, centre, 3.5, colours.fg)
    else if (item.look === 'problem') mark(ctx, 'diamond', from, centre, 5, colours.bad)
    else {
      const colour = item.look === 'stall' ? colours.stall : colours.bad
      fill(`${colour}${item.look === 'missed' ? '88' : '22'}`)
      hatch(ctx, box, colour)
      outline(colour)
    }
  }
}
