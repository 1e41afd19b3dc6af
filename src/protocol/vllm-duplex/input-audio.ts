/**
 * The audio a client of the duplex endpoint sent. Unlike elsewhere a packet names its own format and rate, and need not
 * be 16-bit PCM: PersonaPlex takes 32-bit floats.
 */
import { msOfSamples } from '../media-time.js'
import { UPDATE } from '../openai-realtime/event-names.js'
import type { SessionLog, WireRecord } from '../session-log.js'
import { valueAt } from '../wire-values.js'

const BYTES_PER_SAMPLE: ReadonlyMap<unknown, number> = new Map([
  ['pcm16', 2],
  ['pcm_s16le', 2],
  ['pcm_f32le', 4],
  ['g711_ulaw', 1],
  ['g711_alaw', 1],
])

export interface InputPacket {
  readonly record: WireRecord
  readonly rateHz: number
  readonly ms: number
  /** Length of all audio up to and with this packet. */
  readonly endMs: number
}

/** The packets in order; undecodable audio counts as none, an unknown format as 16-bit PCM. */
export function readInputPackets(log: SessionLog): readonly InputPacket[] {
  const update = log.sent(UPDATE)[0]?.event
  let endSamples = 0
  return log.packets.map(({ record }) => {
    const format = record.event.format ?? valueAt(update, 'session', 'input_audio_format')
    const rateHz = [
      record.event.sample_rate_hz,
      valueAt(update, 'session', 'sample_rate_hz'),
      valueAt(update, 'session', 'audio', 'input', 'sample_rate_hz'),
    ].find(isRate)
    const usedRateHz = rateHz ?? log.profile.input.sample_rate_hz
    const samples = record.pcm?.ok ? record.pcm.byteLength / (BYTES_PER_SAMPLE.get(format) ?? 2) : 0
    endSamples += samples
    return {
      record,
      rateHz: usedRateHz,
      ms: msOfSamples(samples, usedRateHz),
      endMs: msOfSamples(endSamples, usedRateHz),
    }
  })
}

function isRate(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}
