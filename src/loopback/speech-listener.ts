/**
 * Hears with the speech detector that the scorer uses, so that the server's idea of a turn and the score's agree.
 *
 * A load test sends the same clips again and again, and the detector is the costliest thing here. So results are kept by
 * a hash chain over the audio so far: the key of a unit is the SHA-1 of the previous key and the unit's bytes, and under it
 * stand the probabilities of the windows that the unit completes, the detector's state after them and the samples left
 * over. Sessions that sent the same audio so far share every result, and one that is still being computed is waited for.
 * The least recently used are dropped at a limit; a session in progress keeps its own last result and needs no other.
 */
import { createHash } from 'node:crypto'
import { DETECTOR_RATE_HZ, toDetectorRate } from './detector-rate.js'
import { foldWindows, type ListenerFactory, START_OF_HEARING, type UnitListener, WINDOW_MS } from './hearing.js'
import { cutWindows } from './windows.js'

/** What is needed of a speech detector: its state is a value, and `process` leaves the one it is given unchanged. */
export interface SpeechDetector<State> {
  createState(): State
  /** @param window 512 samples at 16 kHz */
  process(state: State, window: Float32Array): Promise<{ readonly probability: number; readonly state: State }>
}

/** About 4 KiB each: 80 MB at most, and 26 minutes of distinct audio in units of 80 ms. */
export const REMEMBERED_UNITS_MAX = 20_000

const WINDOW_SAMPLES = (WINDOW_MS * DETECTOR_RATE_HZ) / 1000

interface UnitResult<State> {
  readonly probabilities: readonly number[]
  readonly state: State
  readonly rest: Float32Array
}

/** @returns a factory whose listeners share what they have worked out */
export function speechListeners<State>(
  detector: SpeechDetector<State>,
  { rememberedUnitsMax = REMEMBERED_UNITS_MAX }: { readonly rememberedUnitsMax?: number } = {},
): ListenerFactory {
  const remembered = new Map<string, Promise<UnitResult<State>>>()

  const resultOf = (key: string, compute: () => Promise<UnitResult<State>>): Promise<UnitResult<State>> => {
    const known = remembered.get(key)
    const result = known ?? compute()
    // A failure is told to whoever waits for it, and not remembered.
    if (known === undefined) result.catch(() => remembered.delete(key))
    // A map keeps the order of insertion: taken out and put in again, the key counts as the latest used.
    remembered.delete(key)
    remembered.set(key, result)
    if (remembered.size > rememberedUnitsMax) {
      for (const oldest of remembered.keys()) {
        remembered.delete(oldest)
        break
      }
    }
    return result
  }

  const hearUnit = async (before: UnitResult<State>, samples: Float32Array): Promise<UnitResult<State>> => {
    const { windows, rest } = cutWindows(before.rest, samples, WINDOW_SAMPLES)
    const probabilities: number[] = []
    let { state } = before
    for (const window of windows) {
      const step = await detector.process(state, window)
      probabilities.push(step.probability)
      state = step.state
    }
    return { probabilities, state, rest }
  }

  return (sampleRateHz): UnitListener => {
    let key = `${sampleRateHz} Hz`
    let last = Promise.resolve<UnitResult<State>>({
      probabilities: [],
      state: detector.createState(),
      rest: new Float32Array(0),
    })
    let hearing = Promise.resolve(START_OF_HEARING)
    return {
      hear(pcm) {
        const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)
        key = createHash('sha1').update(key).update(bytes).digest('base64')
        const before = last
        const result = resultOf(key, async () => hearUnit(await before, toDetectorRate(pcm, sampleRateHz)))
        last = result
        const folded = hearing.then(async (state) => foldWindows(state, (await result).probabilities))
        hearing = folded.then((step) => step.state)
        hearing.catch(() => {})
        return folded.then((step) => step.heard)
      },
    }
  }
}
