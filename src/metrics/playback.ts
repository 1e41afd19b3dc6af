/** How a reply would have played at the listener's end. Times in microseconds, fractions where a sample rate asks for them. */
import type { DurationUs, InstantUs } from '../base/clock.js'
import { US_PER_S } from '../base/clock.js'

/** Arrivals of one reply's audio, in order, at least one. */
export interface ReplyAudio {
  readonly sampleRateHz: number
  readonly deltas: readonly { readonly atUs: InstantUs; readonly samples: number }[]
}

/** Below this, a difference of times is rounding: 1e-9 s (docs/metrics.md, section 5). */
const TOLERANCE_US = 1e-3

/** The smallest start-up buffer with which the reply plays without a gap; independent of any setting. */
export function bufferNeededUs({ deltas, sampleRateHz }: ReplyAudio): DurationUs {
  const firstAtUs = deltas[0]?.atUs ?? 0
  let samplesBefore = 0
  let neededUs = 0
  for (const { atUs, samples } of deltas) {
    neededUs = Math.max(neededUs, atUs - firstAtUs - usOfSamples(samplesBefore, sampleRateHz))
    samplesBefore += samples
  }
  return neededUs
}

/** Whether a player that starts `reserveUs` after the first audio has to pause. */
export function isUnderrun(neededUs: DurationUs, reserveUs: DurationUs): boolean {
  return neededUs > reserveUs + TOLERANCE_US
}

export interface PlayedSpan {
  readonly fromUs: InstantUs
  readonly toUs: InstantUs
}

/**
 * When a player that starts `reserveUs` after the first audio, stops when it is empty and goes on as soon as the next
 * audio arrives would have played; in order, at least one.
 */
export function playedSpans({ deltas, sampleRateHz }: ReplyAudio, reserveUs: DurationUs): PlayedSpan[] {
  const first = deltas[0]
  if (first === undefined) return []
  const spans: PlayedSpan[] = []
  // The instant from which the samples counted since then play without a break.
  let playingSinceUs = first.atUs + reserveUs
  let samples = 0
  for (const delta of deltas) {
    const emptyAtUs = playingSinceUs + usOfSamples(samples, sampleRateHz)
    if (samples > 0 && delta.atUs > emptyAtUs + TOLERANCE_US) {
      spans.push({ fromUs: playingSinceUs, toUs: emptyAtUs })
      playingSinceUs = delta.atUs
      samples = 0
    }
    samples += delta.samples
  }
  spans.push({ fromUs: playingSinceUs, toUs: playingSinceUs + usOfSamples(samples, sampleRateHz) })
  return spans
}

/** The pauses of that player. A silence that no further audio ends is not a pause inside the reply. */
export function pausesUs(audio: ReplyAudio, reserveUs: DurationUs): DurationUs[] {
  const spans = playedSpans(audio, reserveUs)
  return spans.slice(1).map(({ fromUs }, index) => fromUs - (spans[index]?.toUs ?? fromUs))
}

/**
 * Reply real-time factor: time from first to last arrival over the audio before the last delta. Undefined for a reply
 * with one delta.
 */
export function realTimeFactor({ deltas, sampleRateHz }: ReplyAudio): number | undefined {
  const first = deltas[0]
  const last = deltas.at(-1)
  if (first === undefined || last === undefined || deltas.length < 2) return undefined
  const samples = deltas.slice(0, -1).reduce((sum, delta) => sum + delta.samples, 0)
  return (last.atUs - first.atUs) / usOfSamples(samples, sampleRateHz)
}

/** Playing time of so many samples; whole samples in, so nothing accumulates. */
export function usOfSamples(samples: number, sampleRateHz: number): DurationUs {
  return (samples * US_PER_S) / sampleRateHz
}
