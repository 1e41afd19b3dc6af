/**
 * What a client of the session protocol sends (native and turn-based; the legacy dialect shares the first two). Event ids
 * need be unique only within a session, so they are fixed.
 */
import type { WireEvent } from '../../capture/trace-record.js'
import { PACKET_MS } from '../../profile/profile.js'
import { wirePackets } from '../packets.js'
import type { WirePackets } from '../script.js'

export function sessionUpdate(session: Readonly<Record<string, unknown>>, eventId = 'c_update'): WireEvent {
  return { type: 'session.update', event_id: eventId, session }
}

/** Appends with a sequence number and their exact media time: packets are 80 ms, so that is whole milliseconds. */
export function appendFrames(pcm: Int16Array, samplesPerPacket: number): WirePackets {
  return wirePackets(pcm, samplesPerPacket, ({ seq, eventId, audio }) => ({
    type: 'input_audio_buffer.append',
    event_id: eventId,
    audio,
    sglang: { seq, t_start_ms: seq * PACKET_MS },
  }))
}

export function inputEnd(): WireEvent {
  return { type: 'sglang.input_audio.end', event_id: 'c_end' }
}

export function sessionClose(): WireEvent {
  return { type: 'session.close', event_id: 'c_close' }
}
