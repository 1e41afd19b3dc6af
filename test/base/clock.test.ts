import { describe, expect, it } from 'vitest'
import { sleepUntil } from '../../src/base/clock.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

describe('sleeping until an instant', () => {
  it('ends at that instant', async () => {
    const clock = new VirtualClock(0)
    let endedAtUs: number | undefined
    const sleep = sleepUntil(clock, 500).then(() => {
      endedAtUs = clock.nowUs()
    })
    await clock.runUntilSettled(sleep)
    expect(endedAtUs).toBe(500)
  })

  it('ends with the reason of its signal when that comes first', async () => {
    const clock = new VirtualClock(0)
    const abort = new AbortController()
    const sleep = sleepUntil(clock, 500, abort.signal)
    clock.at(100, () => abort.abort(new Error('enough')))
    await expect(clock.runUntilSettled(sleep)).rejects.toThrow('enough')
    expect(clock.nowUs()).toBe(100)
  })

  it('does not begin when its signal is already aborted', async () => {
    const sleep = sleepUntil(new VirtualClock(0), 500, AbortSignal.abort(new Error('over')))
    await expect(sleep).rejects.toThrow('over')
  })

  it('an abort after the end does no harm', async () => {
    const clock = new VirtualClock(0)
    const abort = new AbortController()
    await clock.runUntilSettled(sleepUntil(clock, 500, abort.signal))
    abort.abort()
    await clock.runUntil(1000)
  })
})
