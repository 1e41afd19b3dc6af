import { describe, expect, it } from 'vitest'
import { HostWatch } from '../../src/load/host-pressure.io.js'
import {
  type HostReading,
  hostRecord,
  parseLoad,
  parsePressure,
  parseProcessorTicks,
} from '../../src/load/host-pressure.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

const PRESSURE = [
  'some avg10=1.53 avg60=0.87 avg300=0.24 total=84606356',
  'full avg10=0.00 avg60=0.00 avg300=0.00 total=17',
  '',
].join('\n')

describe('files of the system', () => {
  it.each([
    { text: PRESSURE, totals: { someUs: 84_606_356, fullUs: 17 } },
    { text: PRESSURE.split('\n')[0], totals: { someUs: 84_606_356, fullUs: undefined } },
    { text: 'some avg10=0.00', totals: undefined },
    { text: '', totals: undefined },
    { text: undefined, totals: undefined },
  ])('pressure: $totals', ({ text, totals }) => {
    expect(parsePressure(text)).toEqual(totals)
  })

  it.each([
    // Guest time is part of user time: it is not counted twice.
    {
      text: 'cpu  100 10 30 800 40 5 5 10 50 5\ncpu0 1 1 1 1 1 1 1 1 0 0\n',
      ticks: { total: 1000, busy: 150, steal: 10 },
    },
    { text: 'cpu  100 10 30 800\n', ticks: { total: 940, busy: 140, steal: 0 } },
    { text: 'cpu0 100 10 30 800\n', ticks: undefined },
    { text: 'cpu  100\n', ticks: undefined },
    { text: undefined, ticks: undefined },
  ])('ticks: $ticks', ({ text, ticks }) => {
    expect(parseProcessorTicks(text)).toEqual(ticks)
  })

  it.each([
    { text: '1.25 0.80 0.50 2/345 6789\n', load: 1.25 },
    { text: '12 0.80', load: 12 },
    { text: 'nonsense', load: undefined },
    { text: undefined, load: undefined },
  ])('load: $load', ({ text, load }) => {
    expect(parseLoad(text)).toBe(load)
  })
})

const NOTHING = { cpu: undefined, memory: undefined, io: undefined, ticks: undefined, load1: undefined }

function readingAt(atUs: number, changes: Partial<HostReading> = {}): HostReading {
  return { ...NOTHING, atUs, ...changes }
}

describe('the record of a host', () => {
  it('gives shares of the time between two readings, and of the whole', () => {
    const record = hostRecord([
      readingAt(1_000_000, {
        cpu: { someUs: 500, fullUs: undefined },
        ticks: { total: 0, busy: 0, steal: 0 },
        load1: 1,
      }),
      readingAt(2_000_000, {
        cpu: { someUs: 300_500, fullUs: undefined },
        ticks: { total: 200, busy: 150, steal: 10 },
        load1: 3,
      }),
      readingAt(3_000_000, {
        cpu: { someUs: 400_500, fullUs: undefined },
        ticks: { total: 400, busy: 200, steal: 10 },
        load1: 2,
      }),
    ])
    expect(record).toMatchObject({
      cpu_some: { mean: 0.2, max: 0.3 },
      memory_some: null,
      io_some: null,
      steal: { mean: 0.025, max: 0.05 },
      busy: { mean: 0.5, max: 0.75 },
      load1_max: 3,
    })
    expect(record?.series.map(({ at_s, cpu_some, load1 }) => [at_s, cpu_some, load1])).toEqual([
      [1, 0.3, 3],
      [2, 0.1, 2],
    ])
  })

  it('adds a last moment to the second before it', () => {
    const waited = (someUs: number) => ({ io: { someUs, fullUs: someUs / 2 } })
    const record = hostRecord([
      readingAt(0, waited(0)),
      readingAt(1_000_000, waited(0)),
      readingAt(1_010_000, waited(10_100)),
    ])
    expect(record?.series).toMatchObject([{ at_s: 0, io_some: 0.01, io_full: 0.005 }])
    expect(record?.io_some).toEqual({ mean: 0.01, max: 0.01 })
  })

  it.each([
    { name: 'nothing is offered', readings: [readingAt(0), readingAt(1_000_000)] },
    { name: 'there is one reading', readings: [readingAt(0, { load1: 1 })] },
    { name: 'there is none', readings: [] },
  ])('is null when $name', ({ readings }) => {
    expect(hostRecord(readings)).toBeNull()
  })

  it.each([
    { name: 'above 1', before: 0, after: 1_000_900, share: 1 },
    { name: 'below 0', before: 50, after: 0, share: 0 },
  ])('no share is $name', ({ before, after, share }) => {
    const at = (atUs: number, someUs: number) => readingAt(atUs, { cpu: { someUs, fullUs: undefined } })
    expect(hostRecord([at(0, before), at(1_000_000, after)])?.cpu_some?.mean).toBe(share)
  })
})

describe('a watch of the host', () => {
  it('reads once a second until it is stopped', async () => {
    const clock = new VirtualClock(5_000_000)
    let reads = 0
    const watch = HostWatch.start(clock, async (path) => {
      if (path !== '/proc/loadavg') return undefined
      reads += 1
      return `${reads}.5 0 0 1/1 1`
    })
    await clock.runUntil(7_500_000)
    const record = await watch.stop()
    expect(record?.series.map(({ at_s, load1 }) => [at_s, load1])).toEqual([
      [5, 2.5],
      [6, 3.5],
      [7, 4.5],
    ])
    await clock.runUntil(20_000_000)
    expect(await watch.stop()).toEqual(record)
  })

  it('is null where the system has no such files', async () => {
    const clock = new VirtualClock()
    const watch = HostWatch.start(clock, async () => undefined)
    await clock.runUntil(4_000_000)
    expect(await watch.stop()).toBeNull()
  })
})
