/** What a client of vLLM-Omni's duplex endpoint sends. */
import { type Profile, samplesPerPacket } from '../../profile/profile.js'
import { wirePackets } from '../packets.js'
import type { WirePackets } from '../script.js'

export { sessionClose, sessionUpdate } from '../session/client-events.js'

/** Appends that say their format, their length, and where they end on the input's time line. */
export function appendFrames(pcm: Int16Array, profile: Profile): WirePackets {
  const rate = profile.input.sample_rate_hz
  return wirePackets(pcm, samplesPerPacket(profile), ({ eventId, audio, samples, startSample }) => ({
    type: 'input_audio_buffer.append',
    event_id: eventId,
    audio,
    format: 'pcm16',
    sample_rate_hz: rate,
    duration_ms: (samples * 1000) / rate,
    audio_end_ms: ((startSample + samples) * 1000) / rate,
  }))
}
