/** A session's timeline as the page draws it: whole tenths of a millisecond, long lists thinned to their worst. Pure. */
import { type SelfMonitoring, senderStalls } from '../../capture/self-monitoring.js'
import type { SessionTimeline, TimelineEvent } from '../../metrics/session-timeline.js'
import type { TimelineData } from './page-data.js'
import { tenthsFromUs } from './percentile-curve.js'

/** Of each list: a session of ten minutes at 80 ms has 7500 packets, and no screen has as many columns. */
const ITEMS_MAX = 2000
export const EVENTS_MAX = 120
const DETAIL_MAX = 160

export function timelineData(timeline: SessionTimeline, monitoring: SelfMonitoring | undefined): TimelineData {
  const { facts, originUs } = timeline
  const at = (us: number) => tenthsFromUs(us - originUs)
  const maybe = (us: number | undefined) => (us === undefined ? null : at(us))
  const share = Math.max(1, Math.floor(ITEMS_MAX / Math.max(1, timeline.replies.length)))
  return {
    name: facts.name,
    inputEnd: facts.hasSentAllInput ? tenthsFromUs(facts.inputUs) : null,
    packets: thinned(timeline.packets, ITEMS_MAX, ({ latenessUs = 0 }) => latenessUs).map(({ atUs, latenessUs }) => [
      at(atUs),
      latenessUs === undefined ? null : tenthsFromUs(latenessUs),
    ]),
    units: thinned(timeline.units, ITEMS_MAX, ({ readyAtUs, doneAtUs }) =>
      readyAtUs === undefined || doneAtUs === undefined ? Number.POSITIVE_INFINITY : doneAtUs - readyAtUs,
    ).map(({ unit, readyAtUs, doneAtUs, isSpeak }) => [unit, maybe(readyAtUs), maybe(doneAtUs), isSpeak ? 1 : 0]),
    replies: timeline.replies.slice(0, ITEMS_MAX).map(({ id, arrivals, played, isCut, sampleRateHz }) => ({
      id: shortened(id, 60),
      isCut,
      arrivals: thinned(arrivals, share, ({ samples }) => samples).map(({ atUs, samples }) => [
        at(atUs),
        Math.round((samples * 10_000) / sampleRateHz),
      ]),
      played: played.slice(0, share).map(({ fromUs, toUs }) => [at(fromUs), at(toUs)]),
    })),
    events: chosenEvents(timeline.events).map((event) => [at(event.atUs), eventText(event), isProblem(event) ? 1 : 0]),
    stalls: stallsWithin(timeline, monitoring).map(([due, ran]) => [at(due), at(ran)]),
  }
}

/** The first and the last ones, and every problem between them, up to the bound. */
function chosenEvents(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
  if (events.length <= EVENTS_MAX) return events
  const half = EVENTS_MAX / 2
  const middle = events.slice(half, -half / 2).filter(isProblem)
  return [...events.slice(0, half), ...middle.slice(0, half / 2), ...events.slice(-half / 2)]
}

function eventText({ direction, type, detail }: TimelineEvent): string {
  const what = { send: 'sent', receive: 'received', admission: 'admission', error: 'client error' }[direction]
  return shortened([what, type, detail].filter((part) => part !== '').join(' · '), DETAIL_MAX)
}

function isProblem({ direction, type, detail }: TimelineEvent): boolean {
  return (
    direction === 'error' || direction === 'admission' || type === 'error' || /\b(?:failed|cancelled)\b/.test(detail)
  )
}

function stallsWithin(timeline: SessionTimeline, monitoring: SelfMonitoring | undefined): [number, number][] {
  const fromUs = timeline.facts.openAtUs ?? timeline.originUs
  const toUs = timeline.facts.closeAtUs ?? timeline.originUs + timeline.facts.inputUs
  const senders = monitoring === undefined ? [] : senderStalls(monitoring)
  const own = senders
    .filter(({ sessions }) => sessions === null || sessions.includes(timeline.facts.name))
    .flatMap(({ stalls }) => stalls)
    .map(({ dueAtUs, ranAtUs }): [number, number] => [dueAtUs, ranAtUs])
    .filter(([due, ran]) => ran >= fromUs && due <= toUs)
  return thinned(own, 300, ([due, ran]) => ran - due)
}

/** At most `limit` items in their order: of each group of neighbours the worst one. */
function thinned<T>(items: readonly T[], limit: number, badness: (item: T) => number): T[] {
  if (items.length <= limit) return [...items]
  const size = Math.ceil(items.length / limit)
  return Array.from({ length: Math.ceil(items.length / size) }, (_, group) =>
    items
      .slice(group * size, (group + 1) * size)
      .reduce((worst, item) => (badness(item) > badness(worst) ? item : worst)),
  )
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
