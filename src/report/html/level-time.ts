/**
 * What happened when within a level: unit lag over time, and beside it what the client itself did late. Every unit where
 * they are few, time bins of their worst where they are many. Pure.
 */
import type { SelfMonitoring, SenderSecond } from '../../capture/self-monitoring.js'
import { PACKET_US } from '../../metrics/pacing.js'
import type { SessionFacts } from '../../metrics/session-facts.js'
import { quantile, sortSamples } from '../../stats/quantile.js'
import type { TimeData } from './page-data.js'
import { tenthsFromUs } from './percentile-curve.js'

/** More than this many dots hide each other, and cost bytes. */
const POINTS_MAX = 800
const BINS_MAX = 400
const BIN_WIDTHS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600]

export function levelTime(sessions: readonly SessionFacts[], monitoring: SelfMonitoring | undefined): TimeData {
  const starts = sessions.flatMap(({ openAtUs, t0Us }) => openAtUs ?? t0Us ?? [])
  const originUs = starts.reduce((least, us) => Math.min(least, us), Number.POSITIVE_INFINITY)
  const ends = sessions.flatMap(({ closeAtUs, units }) => [closeAtUs ?? 0, ...units.map(({ doneAtUs }) => doneAtUs)])
  const spanUs = starts.length === 0 ? 0 : Math.max(0, ends.reduce((most, us) => Math.max(most, us), 0) - originUs)
  const widthS =
    BIN_WIDTHS_S.find((seconds) => spanUs / (seconds * 1e6) <= BINS_MAX) ?? Math.ceil(spanUs / 1e6 / BINS_MAX)
  const bins = new Bins(originUs, widthS * 1e6, spanUs)
  const units = sessions
    .flatMap((session) => session.units)
    .flatMap(({ doneAtUs, lagUs, isSpeak }) => (lagUs === undefined ? [] : [{ doneAtUs, lagUs, isSpeak }]))
    .sort((a, b) => a.doneAtUs - b.doneAtUs || a.lagUs - b.lagUs)
  const arePoints = units.length <= POINTS_MAX
  return {
    spanMs: Math.ceil(spanUs / 1000),
    binMs: widthS * 1000,
    points: arePoints
      ? units.map(({ doneAtUs, lagUs, isSpeak }) => [
          Math.round((doneAtUs - originUs) / 1000),
          tenthsFromUs(lagUs),
          isSpeak ? 1 : 0,
        ])
      : null,
    bins: arePoints ? null : lagBins(bins, units),
    late: lateBins(bins, sessions),
    stall: monitoring === undefined ? null : stallBins(bins, monitoring),
    receive: secondBins(bins, monitoring, ({ receive_delay_max_ms: ms }) => ms),
    gc: secondBins(bins, monitoring, ({ gc_max_ms: ms }) => ms)?.map((tenths) => tenths ?? 0) ?? null,
    open: openBins(bins, sessions),
  }
}

class Bins {
  readonly count: number
  readonly #originUs: number
  readonly #widthUs: number

  constructor(originUs: number, widthUs: number, spanUs: number) {
    this.#originUs = originUs
    this.#widthUs = widthUs
    this.count = spanUs === 0 ? 0 : Math.floor(spanUs / widthUs) + 1
  }

  /** Undefined outside the level. */
  indexAt(us: number): number | undefined {
    const index = Math.floor((us - this.#originUs) / this.#widthUs)
    return index >= 0 && index < this.count ? index : undefined
  }

  /** The largest value of each bin. */
  most(values: Iterable<readonly [atUs: number, value: number]>): (number | undefined)[] {
    const most = Array.from({ length: this.count }, (): number | undefined => undefined)
    for (const [atUs, value] of values) {
      const index = this.indexAt(atUs)
      if (index !== undefined) most[index] = Math.max(most[index] ?? value, value)
    }
    return most
  }
}

function lagBins(
  bins: Bins,
  units: readonly { readonly doneAtUs: number; readonly lagUs: number }[],
): TimeData['bins'] {
  const lags = Array.from({ length: bins.count }, (): number[] => [])
  for (const { doneAtUs, lagUs } of units) lags[bins.indexAt(doneAtUs) ?? -1]?.push(lagUs)
  return lags.map((own) => {
    const sorted = sortSamples(own)
    const at = (q: number) => tenthsFromUs(quantile({ sorted, q }) ?? 0)
    return sorted.length === 0 ? null : [at(0.5), at(0.99), at(1)]
  })
}

/** When a packet was sent follows from its lateness: the schedule is fixed before its first packet and never moves. */
function lateBins(bins: Bins, sessions: readonly SessionFacts[]): TimeData['late'] {
  if (sessions.some(({ pacing }) => pacing.latenessUs === undefined)) return null
  const most = bins.most(
    sessions.flatMap(({ t0Us, pacing }) => {
      const lateness = pacing.latenessUs ?? []
      const dueAtUs = (t0Us ?? 0) - (lateness[0] ?? 0)
      return lateness.map((us, index) => [dueAtUs + index * PACKET_US + us, us] as const)
    }),
  )
  return most.map((us) => (us === undefined ? null : tenthsFromUs(us)))
}

function stallBins(bins: Bins, { senders }: SelfMonitoring): readonly number[] {
  const stalls = senders.flatMap((sender) => sender.stalls)
  return bins
    .most(stalls.map(([due, ran]) => [due * 1e6, (ran - due) * 1e6]))
    .map((us) => (us === undefined ? 0 : tenthsFromUs(us)))
}

/** The worst of the senders' seconds; null where none of them knows. */
function secondBins(
  bins: Bins,
  monitoring: SelfMonitoring | undefined,
  ms: (second: SenderSecond) => number | null,
): (number | null)[] | null {
  const seconds = (monitoring?.senders ?? []).flatMap(({ series }) => series)
  const known = seconds.flatMap((second): [number, number][] => {
    const value = ms(second)
    return value === null ? [] : [[second.at_s * 1e6, value * 1000]]
  })
  if (known.length === 0) return null
  return bins.most(known).map((us) => (us === undefined ? null : tenthsFromUs(us)))
}

function openBins(bins: Bins, sessions: readonly SessionFacts[]): readonly number[] {
  const edges = sessions.flatMap(({ openAtUs, closeAtUs }) =>
    openAtUs === undefined || closeAtUs === undefined ? [] : [[openAtUs, 1] as const, [closeAtUs, -1] as const],
  )
  // An end comes before a start at the same instant: a slot that is passed on holds one session.
  edges.sort(([a, stepA], [b, stepB]) => a - b || stepA - stepB)
  const open = Array.from({ length: bins.count }, () => 0)
  let count = 0
  let bin = 0
  for (const [us, step] of edges) {
    const index = bins.indexAt(us) ?? bins.count - 1
    for (; bin < index; bin += 1) open[bin + 1] = count
    count += step
    open[index] = Math.max(open[index] ?? 0, count)
  }
  return open
}
