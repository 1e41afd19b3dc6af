/** Windows against numbers made by another program: its own playout, and scipy's resampler. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { observationWindow } from '../../../src/quality/window/observation-window.js'

interface GoldenWindow {
  readonly name: string
  readonly rate: number
  readonly length: number
  readonly start_s: number
  /** Audio, or a cut where there are no samples. */
  readonly events: readonly { readonly at_s: number; readonly samples?: number; readonly seed?: number }[]
  readonly flags: object
  readonly pcm: string
}

const { cases }: { cases: readonly GoldenWindow[] } = JSON.parse(
  readFileSync(new URL('../../vectors/window/windows.json', import.meta.url), 'utf8'),
)

test.each(cases)('$name: equal to the sample', ({ rate, length, start_s: startS, events, flags, pcm }) => {
  const playout = events.map(({ at_s: timeS, samples, seed = 0 }) =>
    samples === undefined
      ? { kind: 'cut' as const, timeS }
      : { kind: 'audio' as const, timeS, bytes: audio(samples, seed) },
  )
  const window = observationWindow({ playout, startS, windowSamples: length, outputRateHz: rate })
  expect(window.flags).toMatchObject(flags)
  expect(Buffer.from(window.pcm.buffer, window.pcm.byteOffset, window.pcm.byteLength).toString('base64')).toBe(pcm)
})

/** As the vectors' file says. */
function audio(samples: number, seed: number): Uint8Array {
  const value = (i: number) => ((37 * i * i + 7919 * i + 104_729 * seed) % 65_536) - 32_768
  return new Uint8Array(Int16Array.from({ length: samples }, (_, i) => value(i)).buffer)
}
