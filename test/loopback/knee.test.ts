/** The predicted knee, found again by whole sessions: what a sweep over the loopback server must see. */
import { expect, test } from 'vitest'
import { predictLevel } from '../../src/loopback/predict.js'
import { type Client, makeInput, makeWorld, openSession, streamInput, type World } from './native-client.js'

/** Units of all sessions that were done more than one unit after the packet that completed them was sent. */
async function lateUnits(world: World, sessions: number, startGapMs: number): Promise<number> {
  const unitMs = world.profile.unit_ms ?? 0
  const input = makeInput(world.profile, 20 * unitMs)
  const started: { client: Client; startUs: number }[] = []
  for (let session = 0; session < sessions; session += 1) {
    const client = await openSession(world)
    started.push({ client, startUs: 0 })
  }
  for (const entry of started) {
    entry.startUs = streamInput(world, entry.client, input)
    await world.clock.runUntil(world.clock.nowUs() + startGapMs * 1000)
  }
  await world.clock.runUntil(world.clock.nowUs() + 100 * unitMs * 1000)
  return started.flatMap(({ client, startUs }) =>
    client.received.flatMap((event, index) => {
      if (event.type !== 'sglang.unit.done' || event.sglang.media_time.duration_ms === 0) return []
      const unitEndMs = event.sglang.media_time.t_start_ms + unitMs
      const readyAtUs = startUs + (Math.ceil(unitEndMs / 80) - 1) * 80_000
      return (client.receivedAtUs[index] ?? 0) - readyAtUs > unitMs * 1000 ? [event] : []
    }),
  ).length
}

test.each([
  { profile: 'minicpmo-native', sessions: 4, startGapMs: 0 },
  { profile: 'minicpmo-native', sessions: 4, startGapMs: 137 },
  { profile: 'minicpmo-native', sessions: 8, startGapMs: 0 },
  { profile: 'minicpmo-native', sessions: 8, startGapMs: 137 },
  { profile: 'personaplex-native', sessions: 4, startGapMs: 0 },
  { profile: 'personaplex-native', sessions: 4, startGapMs: 11 },
  { profile: 'personaplex-native', sessions: 8, startGapMs: 11 },
])('$profile, $sessions sessions, starts $startGapMs ms apart', async ({ profile, sessions, startGapMs }) => {
  const world = await makeWorld(profile, { jitter: 0.02 })
  const unitMs = world.profile.unit_ms ?? 0
  // The transport takes 1 ms each way.
  const accelerator = { baseMs: unitMs * 0.1, perUnitMs: unitMs * 0.15, jitter: 0.02 }
  const prediction = predictLevel({ unitMs, sessions, accelerator, phases: 'any', packetMs: 80 })
  expect(prediction).toBe(sessions === 4 ? 'meets' : 'misses')
  const late = await lateUnits(world, sessions, startGapMs)
  if (prediction === 'meets') expect(late).toBe(0)
  else expect(late).toBeGreaterThan(0)
})
