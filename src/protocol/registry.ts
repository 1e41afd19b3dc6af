/**
 * Which script drives which protocol, and how its audio goes on the wire. A protocol that can be recorded has an entry here
 * and a verdict in `judge.ts`.
 */
import { US_PER_MS } from '../base/clock.js'
import type { Profile, ProtocolName } from '../profile/profile.js'
import { samplesPerPacket } from '../profile/profile.js'
import { LegacyScript } from './legacy-half-duplex/script.js'
import { appendFrames as openAiFrames } from './openai-realtime/client-events.js'
import { OpenAiRealtimeScript } from './openai-realtime/script.js'
import type { SessionScript, WirePackets } from './script.js'
import { appendFrames } from './session/client-events.js'
import { SessionProtocolScript } from './session/client-script.js'
import { appendFrames as vllmFrames } from './vllm-duplex/client-events.js'
import { VllmDuplexScript } from './vllm-duplex/script.js'

export interface ProtocolDriver {
  /** A fresh script for one session. */
  createScript(profile: Profile): SessionScript
  /** Serialises an input for the wire, once for all sessions that send it. */
  packets(pcm: Int16Array, profile: Profile): WirePackets
  /** HTTP statuses of a refused upgrade after which the same session may try again. */
  readonly retryableStatuses: readonly number[]
}

/** Native and turn-based servers speak one session protocol; what differs is in the profile and in the verdict. */
const SESSION_PROTOCOL: ProtocolDriver = {
  createScript: (profile) => new SessionProtocolScript(profile.session),
  packets: (pcm, profile) => appendFrames(pcm, samplesPerPacket(profile)),
  retryableStatuses: [503],
}

const DRIVERS: Readonly<Record<ProtocolName, ProtocolDriver>> = {
  native: SESSION_PROTOCOL,
  'turn-based': SESSION_PROTOCOL,
  'legacy-half-duplex': {
    createScript: (profile) => new LegacyScript(profile.session, profile.end_wait_ms * US_PER_MS),
    packets: (pcm, profile) => appendFrames(pcm, samplesPerPacket(profile)),
    retryableStatuses: [503],
  },
  'openai-realtime': {
    createScript: (profile) =>
      new OpenAiRealtimeScript({
        session: profile.session,
        outputRateHz: profile.output.sample_rate_hz,
        quietUs: profile.end_wait_ms * US_PER_MS,
      }),
    packets: (pcm, profile) => openAiFrames(pcm, samplesPerPacket(profile)),
    // Too many requests is how a hosted service says that it is full.
    retryableStatuses: [503, 429],
  },
  'vllm-duplex': {
    createScript: (profile) => new VllmDuplexScript(profile.session, profile.end_wait_ms * US_PER_MS),
    packets: vllmFrames,
    retryableStatuses: [503],
  },
}

export function driverOf(profile: Profile): ProtocolDriver {
  return DRIVERS[profile.protocol]
}
