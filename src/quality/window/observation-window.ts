/**
 * What a listener would have heard during the input: the received audio played first in, first out from its receipt, cut by
 * barge-in where the protocol cuts, from the first packet to the end of the input, at 16 kHz.
 * Source: docs/metrics.md, "Observation window".
 */
import { assert } from '../../base/errors.js'
import { roundHalfToEven } from '../../base/round-half-even.js'
import { ratioOfRates, resamplePoly } from '../../dataset/resample.js'
import type { PlayoutEvent } from './window-record.js'

export const WINDOW_RATE_HZ = 16_000

export interface WindowOptions {
  /** In trace order. Undecodable audio is passed over: such a window is not eligible. */
  readonly playout: readonly PlayoutEvent[]
  /** Time of the first packet, in the trace's seconds. */
  readonly startS: number
  /** Length of the window at 16 kHz, N. */
  readonly windowSamples: number
  readonly outputRateHz: number
}

/** What the window leaves out or cuts off. */
export interface WindowFlags {
  /** Audio that began inside the window plays on beyond it. */
  readonly playout_active_at_T: boolean
  /** Audio received inside the window that would have played after it. */
  readonly queued_audio_cropped_s: number
  readonly audio_received_after_T: boolean
  /** Cuts that dropped something. */
  readonly barge_in_cuts: number
}

export interface ObservationWindow {
  /** Mono, 16 kHz, exactly `windowSamples` long. */
  readonly pcm: Int16Array
  readonly flags: WindowFlags
}

export function observationWindow(options: WindowOptions): ObservationWindow {
  const { windowSamples, outputRateHz } = options
  assert(Number.isSafeInteger(windowSamples) && windowSamples > 0, `a window of ${windowSamples} samples`)
  assert(Number.isSafeInteger(outputRateHz) && outputRateHz > 0, `an output rate of ${outputRateHz} Hz`)
  const { buffer, isSilent, flags } = playOut(options)
  if (isSilent) return { pcm: new Int16Array(windowSamples), flags }
  if (outputRateHz === WINDOW_RATE_HZ) return { pcm: buffer.slice(0, windowSamples), flags }
  const resampled = resamplePoly(
    Float64Array.from(buffer),
    ratioOfRates({ fromHz: outputRateHz, toHz: WINDOW_RATE_HZ }),
  )
  const pcm = new Int16Array(windowSamples)
  for (let index = 0; index < windowSamples; index += 1) {
    pcm[index] = Math.min(32_767, Math.max(-32_768, roundHalfToEven(resampled[index] as number)))
  }
  return { pcm, flags }
}

interface Played {
  /** At the output rate, `ceil(N · rate / 16000)` samples. */
  readonly buffer: Int16Array
  readonly isSilent: boolean
  readonly flags: WindowFlags
}

/**
 * Positions are computed as the field's tool does it, in doubles of seconds from the first packet, half way to even, so
 * that both give the same sample.
 */
function playOut({ playout, startS, windowSamples, outputRateHz }: WindowOptions): Played {
  const endS = startS + windowSamples / WINDOW_RATE_HZ
  // T in samples; where it is no whole number, the buffer's last sample still plays at T.
  const endPosition = (windowSamples * outputRateHz) / WINDOW_RATE_HZ
  const length = Math.ceil(endPosition)
  const buffer = new Int16Array(length)
  const positionOf = (timeS: number) => roundHalfToEven((timeS - startS) * outputRateHz)
  let cursor = 0
  let cuts = 0
  let isSilent = true
  let hasLateAudio = false
  for (const event of playout) {
    const isInside = event.timeS <= endS
    if (event.kind === 'audio' && !isInside) hasLateAudio = true
    if (!isInside) continue
    if (event.kind === 'audio') {
      const begin = Math.max(cursor, positionOf(event.timeS))
      cursor = begin + event.bytes.byteLength / 2
      isSilent = !write(buffer, event.bytes, begin) && isSilent
    } else if (event.kind === 'cut') {
      // Before the first packet nothing plays, so there is nothing to cut.
      const cut = Math.max(0, positionOf(event.timeS))
      if (cut >= cursor) continue
      buffer.fill(0, cut, Math.min(length, cursor))
      cursor = cut
      cuts += 1
    }
  }
  return {
    buffer,
    isSilent,
    flags: {
      playout_active_at_T: cursor > endPosition,
      queued_audio_cropped_s: Math.max(0, cursor - endPosition) / outputRateHz,
      audio_received_after_T: hasLateAudio,
      barge_in_cuts: cuts,
    },
  }
}

/** Copies what fits; false where nothing does. Audio that was received before the first packet loses what lies before it. */
function write(buffer: Int16Array, bytes: Uint8Array, begin: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const first = Math.max(0, -begin)
  const end = Math.min(bytes.byteLength / 2, buffer.length - begin)
  for (let index = first; index < end; index += 1) buffer[begin + index] = view.getInt16(2 * index, true)
  return end > first
}
