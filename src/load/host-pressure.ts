/** What a Linux host says of its own load: parsers of its files, and shares of time from two readings. Pure. */
import { type InstantUs, secondsFromUs, US_PER_S } from '../base/clock.js'
import type { HostRecord, HostSecond } from '../capture/self-monitoring.js'

/** How often the host is read. */
export const HOST_INTERVAL_US = US_PER_S
const SHORT_US = HOST_INTERVAL_US / 5

/** Microseconds since boot in which some task, or all of them, waited for the resource. */
export interface PressureTotals {
  readonly someUs: number
  /** Undefined where the kernel does not say. */
  readonly fullUs: number | undefined
}

/** Ticks since boot, of all processors together. */
export interface ProcessorTicks {
  readonly total: number
  readonly busy: number
  readonly steal: number
}

/** Everything undefined where the system does not offer it. */
export interface HostReading {
  readonly atUs: InstantUs
  readonly cpu: PressureTotals | undefined
  readonly memory: PressureTotals | undefined
  readonly io: PressureTotals | undefined
  readonly ticks: ProcessorTicks | undefined
  readonly load1: number | undefined
}

/** `/proc/pressure/*`: `some avg10=0.00 avg60=0.00 avg300=0.24 total=84606356`, and a line `full`. */
export function parsePressure(text: string | undefined): PressureTotals | undefined {
  const totalOf = (kind: string) => {
    const match = new RegExp(`^${kind} .*\\btotal=(\\d+)`, 'm').exec(text ?? '')
    return match?.[1] === undefined ? undefined : Number(match[1])
  }
  const someUs = totalOf('some')
  return someUs === undefined ? undefined : { someUs, fullUs: totalOf('full') }
}

/** First line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal; guest time stands in user time too. */
export function parseProcessorTicks(text: string | undefined): ProcessorTicks | undefined {
  const fields = /^cpu +([\d ]+)$/m
    .exec(text ?? '')?.[1]
    ?.split(' ')
    .map(Number)
  if (fields === undefined || fields.length < 4) return undefined
  const own = fields.slice(0, 8)
  const [, , , idle = 0, waiting = 0, , , steal = 0] = own
  const total = own.reduce((sum, ticks) => sum + ticks, 0)
  return { total, busy: total - idle - waiting - steal, steal }
}

/** `/proc/loadavg`: the first figure. */
export function parseLoad(text: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?) /.exec(text ?? '')
  return match?.[1] === undefined ? undefined : Number(match[1])
}

/** @returns null where the host said nothing at all, or there are no two readings */
export function hostRecord(all: readonly HostReading[]): HostRecord | null {
  const readings = withoutShortEnd(all)
  const series = readings.slice(1).map((reading, index) => between(readings[index] ?? reading, reading))
  const [first, last] = [readings[0], readings.at(-1)]
  if (first === undefined || last === undefined || !series.some(saysSomething)) return null
  const whole = between(first, last)
  const summary = (of: (second: HostSecond) => number | null) => {
    const values = series.flatMap((second) => of(second) ?? [])
    const mean = of(whole)
    return mean === null ? null : { mean, max: values.reduce((most, value) => Math.max(most, value), mean) }
  }
  const loads = series.flatMap(({ load1 }) => load1 ?? [])
  return {
    cpu_some: summary((second) => second.cpu_some),
    memory_some: summary((second) => second.memory_some),
    io_some: summary((second) => second.io_some),
    steal: summary((second) => second.steal),
    busy: summary((second) => second.busy),
    load1_max: loads.length === 0 ? null : loads.reduce((most, load) => Math.max(most, load)),
    series,
  }
}

/** The watch may end right after a reading; shares of a few milliseconds say nothing, so they go to the second before. */
function withoutShortEnd(readings: readonly HostReading[]): readonly HostReading[] {
  const [last, previous] = [readings.at(-1), readings.at(-2)]
  if (last === undefined || previous === undefined || readings.length < 3) return readings
  return last.atUs - previous.atUs < SHORT_US ? [...readings.slice(0, -2), last] : readings
}

function between(before: HostReading, after: HostReading): HostSecond {
  const elapsedUs = after.atUs - before.atUs
  const waited = (of: (reading: HostReading) => number | undefined) => shareOf(of(before), of(after), elapsedUs)
  const ticks = (after.ticks?.total ?? 0) - (before.ticks?.total ?? 0)
  return {
    at_s: secondsFromUs(before.atUs),
    cpu_some: waited(({ cpu }) => cpu?.someUs),
    memory_some: waited(({ memory }) => memory?.someUs),
    memory_full: waited(({ memory }) => memory?.fullUs),
    io_some: waited(({ io }) => io?.someUs),
    io_full: waited(({ io }) => io?.fullUs),
    steal: shareOf(before.ticks?.steal, after.ticks?.steal, ticks),
    busy: shareOf(before.ticks?.busy, after.ticks?.busy, ticks),
    load1: after.load1 ?? null,
  }
}

/** Counters are read a little apart from the clock, so a share could come out a hair above 1, or below 0 when one is set back. */
function shareOf(before: number | undefined, after: number | undefined, whole: number): number | null {
  if (before === undefined || after === undefined || whole <= 0) return null
  return Math.round(Math.min(1, Math.max(0, (after - before) / whole)) * 10_000) / 10_000
}

function saysSomething({ cpu_some, memory_some, io_some, steal, load1 }: HostSecond): boolean {
  return [cpu_some, memory_some, io_some, steal, load1].some((value) => value !== null)
}
