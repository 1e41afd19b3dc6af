import { describe, expect, it } from 'vitest'
import { SystemClock } from '../../src/base/system-clock.io.js'
import { ReceiveProbe } from '../../src/load/receive-probe.io.js'

/** Keeps the event loop busy: nothing is read meanwhile. */
function block(ms: number): void {
  const clock = new SystemClock()
  const endUs = clock.nowUs() + ms * 1000
  while (clock.nowUs() < endUs);
}

describe('the receive probe', () => {
  it('shows how long the process did not read', async () => {
    const probe = await ReceiveProbe.open(new SystemClock())
    try {
      const delayUs = await new Promise<number>((resolve) => {
        probe?.start(resolve)
        // On its way before the loop is kept busy; what the probe sends by itself comes later.
        probe?.send()
        block(50)
      })
      expect(delayUs).toBeGreaterThanOrEqual(30_000)
    } finally {
      probe?.close()
    }
  })

  it('goes on by itself, from a timer and from after the reads', async () => {
    const probe = await ReceiveProbe.open(new SystemClock())
    const delaysUs: number[] = []
    await new Promise<void>((resolve) => {
      probe?.start((us) => {
        delaysUs.push(us)
        if (delaysUs.length === 4) resolve()
      })
      // The probe alone would let the process end.
      const alive = setInterval(() => delaysUs.length === 4 && clearInterval(alive), 5)
    })
    probe?.close()
    probe?.send()
    expect(delaysUs.every((us) => us >= 0)).toBe(true)
  })
})
