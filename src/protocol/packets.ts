/** Cuts an input into packets and writes each as the frame that goes on the wire, once for all sessions that send it. */
import type { WireEvent } from '../capture/trace-record.js'
import type { WirePackets } from './script.js'

export interface Packet {
  readonly seq: number
  readonly eventId: string
  /** Base64 of the packet's samples. */
  readonly audio: string
  readonly samples: number
  /** Samples of all packets before this one. */
  readonly startSample: number
}

/**
 * @param pcm mono PCM16 at the profile's input rate, at least one sample
 * @param samplesPerPacket samples of one full packet; the last packet may be shorter
 * @param toEvent the append event of the protocol for one packet
 */
export function wirePackets(
  pcm: Int16Array,
  samplesPerPacket: number,
  toEvent: (packet: Packet) => WireEvent,
): WirePackets {
  const count = Math.ceil(pcm.length / samplesPerPacket)
  const texts: string[] = []
  const eventIds: string[] = []
  for (let seq = 0; seq < count; seq += 1) {
    const startSample = seq * samplesPerPacket
    const chunk = pcm.subarray(startSample, startSample + samplesPerPacket)
    const audio = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64')
    const eventId = `c_append_${seq}`
    texts.push(JSON.stringify(toEvent({ seq, eventId, audio, samples: chunk.length, startSample })))
    eventIds.push(eventId)
  }
  return {
    frames: texts.map((text) => Buffer.from(text)),
    texts,
    eventIds,
    samplesPerPacket,
    lastPacketSamples: pcm.length - Math.max(0, count - 1) * samplesPerPacket,
  }
}
