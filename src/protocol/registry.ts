/** Which script drives which protocol. A protocol that can be recorded has an entry here and a verdict in `judge.ts`. */
import type { Profile, ProtocolName } from '../profile/profile.js'
import { samplesPerPacket } from '../profile/profile.js'
import { appendFrames } from './native/client-events.js'
import { NativeScript } from './native/script.js'
import type { SessionScript, WirePackets } from './script.js'

export interface ProtocolDriver {
  /** A fresh script for one session. */
  createScript(profile: Profile): SessionScript
  /** Serialises an input for the wire, once for all sessions that send it. */
  packets(pcm: Int16Array, profile: Profile): WirePackets
}

const DRIVERS: Partial<Record<ProtocolName, ProtocolDriver>> = {
  native: {
    createScript: (profile) => new NativeScript(profile.session),
    packets: (pcm, profile) => appendFrames(pcm, samplesPerPacket(profile)),
  },
}

/** The driver of a profile's protocol; undefined where recordings can be judged but not made. */
export function driverOf(profile: Profile): ProtocolDriver | undefined {
  return DRIVERS[profile.protocol]
}
