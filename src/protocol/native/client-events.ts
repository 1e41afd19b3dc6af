/** What a client of the native session protocol sends. Event ids need be unique only within a session, so they are fixed. */
import type { WireEvent } from '../../capture/trace-record.js'
import { PACKET_MS } from '../../profile/profile.js'
import type { WirePackets } from '../script.js'

export function sessionUpdate(session: Readonly<Record<string, unknown>>): WireEvent {
  return { type: 'session.update', event_id: 'c_update', session }
}

export function inputEnd(): WireEvent {
  return { type: 'sglang.input_audio.end', event_id: 'c_end' }
}

export function sessionClose(): WireEvent {
  return { type: 'session.close', event_id: 'c_close' }
}

/**
 * Cuts an input into packets and writes each as the frame that goes on the wire.
 * @param pcm mono PCM16 at the profile's input rate, at least one sample
 * @param samplesPerPacket samples of one full packet; the last packet may be shorter
 */
export function appendFrames(pcm: Int16Array, samplesPerPacket: number): WirePackets {
  const count = Math.ceil(pcm.length / samplesPerPacket)
  const frames: Buffer[] = []
  const texts: string[] = []
  const eventIds: string[] = []
  for (let seq = 0; seq < count; seq += 1) {
    const chunk = pcm.subarray(seq * samplesPerPacket, (seq + 1) * samplesPerPacket)
    const audio = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64')
    const eventId = `c_append_${seq}`
    const text = JSON.stringify({
      type: 'input_audio_buffer.append',
      event_id: eventId,
      audio,
      sglang: { seq, t_start_ms: seq * PACKET_MS },
    })
    texts.push(text)
    frames.push(Buffer.from(text))
    eventIds.push(eventId)
  }
  return {
    frames,
    texts,
    eventIds,
    samplesPerPacket,
    lastPacketSamples: pcm.length - Math.max(0, count - 1) * samplesPerPacket,
  }
}
