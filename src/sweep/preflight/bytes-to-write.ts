/** What a sweep may write, at most. Pure. */
import { clipDurationS, type InputClip } from '../../dataset/input-clip.js'
import type { Profile } from '../../profile/profile.js'

/** Result files, and what is the same for any sweep. */
const OTHER_BYTES = 10_000_000
/** Everything that is no audio: acknowledgements, units, receipts. */
const EVENT_BYTES_PER_S = 20_000
const SCORED_RATE_HZ = 16_000

/**
 * Traces hold sent and received audio as base64, at most as long as the input each; beside them stands the input as WAV, and
 * as PCM where the file system has no links. While a level is stored its journal is there as well: everything received.
 * @param options.sessions of each level that is still to be run
 */
export function bytesToWrite(options: {
  readonly inputs: readonly InputClip[]
  readonly profile: Profile
  readonly sessions: readonly number[]
  readonly isScored: boolean
}): number {
  const { inputs, profile, sessions, isScored } = options
  const meanInputS = inputs.reduce((sum, clip) => sum + clipDurationS(clip), 0) / Math.max(1, inputs.length)
  const base64PerS = (rateHz: number) => rateHz * 2 * 1.4
  const received = base64PerS(profile.output.sample_rate_hz) + EVENT_BYTES_PER_S
  const stored = base64PerS(profile.input.sample_rate_hz) + received + profile.input.sample_rate_hz * 4
  // A level's windows, at 16 kHz, and a second copy while it is scored again.
  const scored = isScored ? 2 * 2 * SCORED_RATE_HZ : 0
  const all = sessions.reduce((sum, count) => sum + count, 0)
  const largest = sessions.reduce((most, count) => Math.max(most, count), 0)
  return meanInputS * (all * (stored + scored) + largest * received) + OTHER_BYTES
}
