/** How long a level will take if all goes well, for a display of the time left. Pure. */
import { clipDurationS, type InputClip } from '../dataset/input-clip.js'
import type { Profile } from '../profile/profile.js'
import type { PlannedLevel } from './level-order.js'

/** Start of the senders and the first handshakes. */
const START_S = 1

/**
 * By Little's law: the sessions' lengths one after the other, divided by how many run at once; never shorter than the longest.
 * A session is open for its input, and for one more unit until its last one has been answered.
 * @returns seconds
 */
export function expectedLevelS(
  { concurrency, sessions }: PlannedLevel,
  { inputs, profile }: { readonly inputs: readonly InputClip[]; readonly profile: Pick<Profile, 'unit_ms'> },
): number {
  const tailS = (profile.unit_ms ?? 0) / 1000
  const lengths = inputs.map((clip) => clipDurationS(clip) + tailS)
  if (lengths.length === 0) return START_S
  const own = Array.from({ length: sessions }, (_, index) => lengths[index % lengths.length] ?? 0)
  const longest = own.reduce((most, length) => Math.max(most, length), 0)
  return START_S + Math.max(longest, own.reduce((sum, length) => sum + length, 0) / concurrency)
}
