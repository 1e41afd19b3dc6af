import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { GcWatch } from '../../src/load/gc-watch.io.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('the watch of the garbage collector', () => {
  it('hears of pauses up to its end, and tells when the long ones were', async () => {
    const clock = new VirtualClock(7_000_000)
    const watch = new GcWatch(clock, 0)
    collect()
    await nextTurn()
    watch.stop()
    expect(watch.totals.pauses).toBeGreaterThanOrEqual(1)
    expect(watch.totals.max_ms).toBeGreaterThan(0)
    expect(watch.closeWindow()).toEqual(watch.totals)
    expect(watch.closeWindow()).toEqual({ pauses: 0, total_ms: 0, max_ms: 0 })
    expect(watch.longPauses.map(([, , kind]) => kind)).toContain('major')
    // On the clock that it was given, which stood at 7 s when the watch began.
    for (const [beginS, endS] of watch.longPauses) {
      expect(beginS).toBeGreaterThanOrEqual(7)
      expect(endS).toBeGreaterThanOrEqual(beginS)
    }
  })

  it('keeps only the totals of short ones', async () => {
    const watch = new GcWatch(new VirtualClock(), 60_000)
    collect()
    await nextTurn()
    watch.stop()
    expect(watch.totals.pauses).toBeGreaterThanOrEqual(1)
    expect(watch.longPauses).toEqual([])
  })
})
