import { describe, expect, test } from 'vitest'
import { energyListener } from '../../src/loopback/energy-listener.js'
import type { UnitListener } from '../../src/loopback/hearing.js'
import { TurnDetector } from '../../src/loopback/turn-detector.js'

/** Silent and loud stretches in turn, in ms. */
function audio(rate: number, ...stretchesMs: number[]): Int16Array {
  return Int16Array.from(
    stretchesMs.flatMap((ms, index) => Array.from({ length: (ms * rate) / 1000 }, () => (index % 2 === 0 ? 0 : 8000))),
  )
}

interface Setup {
  readonly rate?: number
  readonly silenceMs?: number
  readonly prefixPaddingMs?: number
  readonly listener?: (rate: number) => UnitListener
}

function makeDetector({ rate = 16_000, silenceMs = 320, prefixPaddingMs = 0, listener = energyListener }: Setup) {
  const told: [string, number][] = []
  const detector = new TurnDetector({
    sampleRateHz: rate,
    listener: listener(rate),
    silenceMs,
    prefixPaddingMs,
    onStarted: (ms) => told.push(['started', ms]),
    onStopped: (ms) => told.push(['stopped', ms]),
    onFailed: () => told.push(['failed', 0]),
  })
  const hearIn = (pcm: Int16Array, packetMs: number) => {
    const packet = (rate * packetMs) / 1000
    for (let from = 0; from < pcm.length; from += packet) detector.hear(pcm.slice(from, from + packet))
  }
  return { detector, told, hearIn }
}

const lateListener = (rate: number): UnitListener => {
  const inner = energyListener(rate)
  let waitMs = 3
  return {
    hear: async (pcm) => {
      const heard = inner.hear(pcm)
      // Later windows are answered sooner, so that order has to be kept by the detector.
      for (let turns = Math.max(0, waitMs--); turns > 0; turns -= 1) await new Promise((done) => setImmediate(done))
      return heard
    },
  }
}

describe('the turn detector', () => {
  test.each<{ name: string; stretchesMs: number[]; setup?: Setup; expected: [string, number][] }>([
    { name: 'silence', stretchesMs: [3200], expected: [] },
    {
      name: 'one turn, without the padding and the silence after it',
      stretchesMs: [320, 640, 640],
      expected: [
        ['started', 320],
        ['stopped', 960],
      ],
    },
    { name: 'silence just too short', stretchesMs: [320, 640, 288], expected: [['started', 320]] },
    {
      name: 'silence just long enough',
      stretchesMs: [320, 640, 320],
      expected: [
        ['started', 320],
        ['stopped', 960],
      ],
    },
    {
      name: 'padding, never below 0 nor before the turn before',
      stretchesMs: [160, 640, 320, 320, 480, 320, 640],
      setup: { prefixPaddingMs: 400 },
      expected: [
        ['started', 0],
        ['stopped', 800],
        ['started', 800],
        ['stopped', 1440],
        ['started', 1520],
        ['stopped', 2240],
      ],
    },
    {
      name: 'no silence asked for: one window of it',
      stretchesMs: [320, 640, 32, 320, 32],
      setup: { silenceMs: 0 },
      expected: [
        ['started', 320],
        ['stopped', 960],
        ['started', 992],
        ['stopped', 1312],
      ],
    },
  ])('$name', async ({ stretchesMs, setup = {}, expected }) => {
    for (const rate of [16_000, 24_000]) {
      for (const packetMs of [20, 80, 1000]) {
        for (const listener of [energyListener, lateListener]) {
          const { detector, told, hearIn } = makeDetector({ ...setup, rate, listener })
          hearIn(audio(rate, ...stretchesMs), packetMs)
          await new Promise<void>((resolve) => detector.whenHeard(resolve))
          expect({ rate, packetMs, told }).toEqual({ rate, packetMs, told: expected })
        }
      }
    }
  })

  test('counts the speech of the turn, pauses left out', () => {
    const { detector, hearIn } = makeDetector({})
    hearIn(audio(16_000, 320, 640, 160, 320, 640), 80)
    expect(detector.speechMs).toBe(960)
  })

  test('ends a turn when asked: at the last sample where the user still speaks, else where the speech was', () => {
    const speaking = makeDetector({})
    speaking.hearIn(audio(16_000, 320, 650), 80)
    speaking.detector.finish()
    speaking.detector.finish()
    expect(speaking.told.at(-1)).toEqual(['stopped', 970])
    const silent = makeDetector({})
    silent.hearIn(audio(16_000, 320, 640, 170), 80)
    silent.detector.finish()
    expect(silent.told).toEqual([
      ['started', 320],
      ['stopped', 960],
    ])
  })

  test('tells of a listener that fails once, and nothing after it', async () => {
    const failing = () => ({ hear: () => Promise.reject(new Error('broken')) })
    const { detector, told, hearIn } = makeDetector({ listener: failing })
    hearIn(audio(16_000, 0, 640), 80)
    detector.finish()
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(told).toEqual([['failed', 0]])
  })

  test('tells nothing once it is stopped, not even what it is waiting for', async () => {
    const { detector, told, hearIn } = makeDetector({ listener: lateListener })
    hearIn(audio(16_000, 0, 640), 80)
    detector.stop()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(told).toEqual([])
  })
})
