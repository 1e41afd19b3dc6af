/** Inside one level: lag over time beside what the client did late, and the level's worst session from end to end. Pure. */
import type { TimelineUnit } from '../../metrics/session-timeline.js'
import type { AnalysedRun } from '../../sweep/analyse-run.io.js'
import { levelName } from '../level-table.js'
import { figure } from './chart-sections.js'
import { term } from './glossary.js'
import { type Content, html, type Markup } from './markup.js'
import { firstShown, type ShownLevel, type ShownProfile } from './report-data.js'
import { table } from './table.js'
import { EVENTS_MAX, timelineData } from './timeline-data.js'
import { traceFile, traceLink } from './trace-link.js'
import { stateOf } from './verdict-section.js'

const UNITS_MAX = 200

export function insideSection(profile: ShownProfile, id: string): Markup {
  const { levels } = profile
  const first = firstShown(profile)
  const isNative = levels.some(({ row }) => row.mode === 'native')
  return html`<section id="${id}-inside" aria-labelledby="${id}-inside-title">
<h3 id="${id}-inside-title">Inside a level</h3>
<fieldset class="choice levels"><legend>Level</legend>
${levels.map(
  ({ row }, index) =>
    html`<label class="${stateOf(row)}"><input type="radio" name="${id}-level" value="${index}"${index === first ? html` checked` : null}>${levelName(row)}</label>\n`,
)}</fieldset>
${
  isNative
    ? figure({
        chart: 'time',
        title: html`${term('lag', 'Unit lag')} over time, with ${term('stall', 'stalls of the client')} on the same axis`,
        label: 'Unit lag over the time of the level, with stalls of the client itself',
        note: 'Time counts from the level’s first open session; a unit stands at its receipt. Above the dashed line a unit is missed.',
      })
    : null
}
${figure({
  chart: 'client',
  title: html`${term('lateness', 'Send lateness')}, ${term('receiveDelay')} and ${term('stall')}, the worst of each moment`,
  label: 'Send lateness, receive delay and stalls of the client over the time of the level',
})}
<h4>Worst session</h4>
<p class="note">${
    isNative
      ? 'The session of the level with the most missed units, then with the highest lag.'
      : 'The session of the level that failed, else the one whose reply came slowest.'
  } Sessions that never opened come last.</p>
${figure({
  chart: 'session',
  title: 'One session from end to end',
  label: 'Timeline of one session: input packets, units from ready to done, reply audio, playout with pauses, events',
  controls: html`<div class="controls zoom"><button type="button" data-zoom="in">Zoom in</button><button type="button" data-zoom="out">Zoom out</button><button type="button" data-zoom="left" aria-label="Earlier">←</button><button type="button" data-zoom="right" aria-label="Later">→</button><button type="button" data-zoom="all">Whole session</button></div>`,
  note: 'Drag to zoom. With the chart in focus, the arrow keys walk from item to item.',
})}
${levels.map((level, index) => html`<div class="of-level" data-level="${index}">${sessionDetails(level)}</div>\n`)}
</section>`
}

function sessionDetails({ row, run }: ShownLevel): Content {
  const worst = run?.worst
  if (run === undefined || worst === undefined) return html`<p>Level ${levelName(row)} has no session to show.</p>`
  const { facts } = worst
  const outcome = facts.hasSucceeded ? 'succeeded' : facts.isDenied ? 'denied' : 'failed'
  return html`<p>Level ${levelName(row)}, session <b>${facts.name}</b>: ${outcome}${
    facts.hasSucceeded ? null : html`, ${facts.reasons.slice(0, 3).join('; ')}`
  }. Trace ${traceLink(run.run.name, traceFile(run.run, facts.name))}</p>
${unitTable(run)}
${eventTable(run)}`
}

function unitTable({ worst, profile }: AnalysedRun): Content {
  if (worst === undefined || worst.units.length === 0) return null
  const unitUs = (profile.unit_ms ?? 0) * 1000
  const seconds = (us: number | undefined) => (us === undefined ? '–' : ((us - worst.originUs) / 1e6).toFixed(3))
  const lag = ({ readyAtUs, doneAtUs }: TimelineUnit) =>
    readyAtUs === undefined || doneAtUs === undefined ? undefined : doneAtUs - readyAtUs
  const state = (unit: TimelineUnit) => {
    const lagUs = lag(unit)
    if (unit.readyAtUs === undefined) return 'missed: its input was never sent whole'
    if (lagUs === undefined) return 'missed: never finished'
    if (lagUs > unitUs) return 'missed: late'
    return worst.facts.hasSucceeded ? 'in time' : 'in time, missed with its session'
  }
  const rows = worst.units.slice(0, UNITS_MAX)
  return html`<details><summary>Units (${worst.units.length})</summary>
${table({
  caption: 'Units of the session',
  rows,
  columns: [
    { title: term('unit'), cells: ({ unit }) => [unit] },
    { title: 'ready s', cells: ({ readyAtUs }) => [seconds(readyAtUs)] },
    { title: 'done s', cells: ({ doneAtUs }) => [seconds(doneAtUs)] },
    { title: term('lag', 'lag ms'), cells: (unit) => [millis(lag(unit))] },
    { title: term('speak', 'kind'), isText: true, cells: ({ isSpeak }) => [isSpeak ? 'speak' : 'listen'] },
    { title: '', isText: true, cells: (unit) => [state(unit)] },
  ],
  rowClass: (unit) => (state(unit) === 'in time' ? '' : 'misses'),
})}
${rows.length < worst.units.length ? html`<p class="note">The first ${rows.length} of them; all are in the trace.</p>` : null}</details>`
}

function eventTable({ worst, run }: AnalysedRun): Content {
  if (worst === undefined || worst.events.length === 0) return null
  const { events } = timelineData(worst, run.monitoring)
  const rows = events.map(([at, text, isProblem], index) => ({ number: index + 1, at, text, isProblem }))
  return html`<details><summary>Events (${worst.events.length})</summary>
${table({
  caption: 'Events of the session',
  rows,
  columns: [
    { title: '#', cells: ({ number }) => [number] },
    { title: 'at s', cells: ({ at }) => [(at / 10_000).toFixed(4)] },
    { title: 'event', isText: true, cells: ({ text }) => [text] },
  ],
  rowClass: ({ isProblem }) => (isProblem === 1 ? 'misses' : ''),
})}
${rows.length < worst.events.length ? html`<p class="note">${EVENTS_MAX} at most, problems first; all are in the trace.</p>` : null}</details>`
}

function millis(us: number | undefined): string {
  return us === undefined ? '–' : (us / 1000).toFixed(1)
}
