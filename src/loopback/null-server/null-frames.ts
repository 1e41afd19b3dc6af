/**
 * Everything that the null server says, framed before anybody connects: its sessions are all the same, so one set of bytes
 * serves them all. It keeps the session protocol of a native deployment in every point that a verdict looks at, answers
 * the moment a unit is complete, and speaks in a fixed share of the units.
 */
import type { WireEvent } from '../../capture/trace-record.js'
import { type Deployment, grantOf } from '../deployment.js'

const PACKET_MS = 80
/** A reply is sent in pieces of this length, as servers that stream do. */
const DELTA_MS = 80
const MAX_SMALL_LENGTH = 125
const MAX_MEDIUM_LENGTH = 65_535

/** A text message of a server in one frame. */
export function textFrame(event: WireEvent): Buffer {
  const payload = Buffer.from(JSON.stringify(event))
  const { length } = payload
  const head = Buffer.alloc(length <= MAX_SMALL_LENGTH ? 2 : length <= MAX_MEDIUM_LENGTH ? 4 : 10)
  head[0] = 0x81
  head[1] = length <= MAX_SMALL_LENGTH ? length : length <= MAX_MEDIUM_LENGTH ? 126 : 127
  if (head.length === 4) head.writeUInt16BE(length, 2)
  else if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}

export class NullFrames {
  readonly #deployment: Deployment
  readonly #replyShare: number
  readonly #packetSamples: number
  readonly #afterPacket: Buffer[] = []

  /** @param replyShare of the units that are answered with audio, from 0 to 1 */
  constructor(deployment: Deployment, replyShare: number) {
    this.#deployment = deployment
    this.#replyShare = replyShare
    this.#packetSamples = (PACKET_MS * deployment.inputRateHz) / 1000
  }

  /** Samples of a whole packet. */
  get packetSamples(): number {
    return this.#packetSamples
  }

  created(): Buffer {
    return textFrame({ type: 'session.created', event_id: 'evt_created', session: { id: 'sess_null' } })
  }

  updated(clientEventId: unknown): Buffer {
    const granted = grantOf(this.#deployment, ['audio'], [])
    return textFrame({
      type: 'session.updated',
      event_id: 'evt_updated',
      client_event_id: clientEventId,
      session: { id: 'sess_null', sglang: { granted } },
    })
  }

  /** What follows whole packet `packet`, counted from 0: its acknowledgement, and the unit that it completes. */
  afterPacket(packet: number): Buffer {
    const known = this.#afterPacket[packet]
    if (known !== undefined) return known
    const made = this.afterSamples(packet, packet * this.#packetSamples, (packet + 1) * this.#packetSamples)
    this.#afterPacket[packet] = made
    return made
  }

  /** The same for a packet of any length. @param before samples that had arrived, @param after samples that have */
  afterSamples(packet: number, before: number, after: number): Buffer {
    const { unitSamples } = this.#deployment
    const frames = [
      textFrame({
        type: 'sglang.input_audio.accepted',
        event_id: `evt_accepted_${packet}`,
        seq: packet,
        accepted_end_ms: this.#msOf(after),
        client_event_id: `c_append_${packet}`,
      }),
    ]
    for (let unit = Math.floor(before / unitSamples); (unit + 1) * unitSamples <= after; unit += 1) {
      frames.push(...this.#unit(unit, unitSamples))
    }
    return Buffer.concat(frames)
  }

  /** The end of the input after `samples`: the rest of a unit, and the word that nothing is left. */
  drained(samples: number, clientEventId: unknown): Buffer {
    const { unitSamples } = this.#deployment
    const rest = samples % unitSamples
    const frames = [
      textFrame({
        type: 'sglang.input_audio.ended',
        event_id: 'evt_ended',
        accepted_end_ms: this.#msOf(samples),
        tail_policy: 'pad',
        client_event_id: clientEventId,
      }),
    ]
    if (rest > 0) frames.push(...this.#unit(Math.floor(samples / unitSamples), rest))
    frames.push(
      textFrame({
        type: 'sglang.input_audio.drained',
        event_id: 'evt_drained',
        accepted_end_ms: this.#msOf(samples),
        consumed_ms: this.#msOf(samples),
        discarded_ms: 0,
        padding_ms: rest === 0 ? 0 : this.#msOf(unitSamples - rest),
        client_event_id: clientEventId,
      }),
    )
    return Buffer.concat(frames)
  }

  closed(clientEventId: unknown): Buffer {
    return textFrame({
      type: 'session.closed',
      event_id: 'evt_closed',
      reason: 'client_closed',
      client_event_id: clientEventId,
    })
  }

  #unit(unit: number, samples: number): Buffer[] {
    const { unitMs } = this.#deployment
    const mediaTime = { t_start_ms: unit * unitMs, duration_ms: this.#msOf(samples) }
    const speaks = Math.floor((unit + 1) * this.#replyShare) > Math.floor(unit * this.#replyShare)
    const pieces = speaks ? Math.ceil(unitMs / DELTA_MS) : 0
    const sglang = (chunk: number) => ({ unit_id: `unit_${unit}`, chunk_seq: chunk, media_time: mediaTime })
    const first = this.#chunksBefore(unit)
    const frames = speaks ? this.#reply(unit, pieces, (piece) => sglang(first + piece)) : []
    frames.push(
      textFrame({
        type: 'sglang.unit.done',
        event_id: `evt_unit_${unit}`,
        unit_id: `unit_${unit}`,
        sglang: sglang(first + pieces),
      }),
    )
    return frames
  }

  #reply(unit: number, pieces: number, sglang: (piece: number) => object): Buffer[] {
    const { unitMs, outputRateHz } = this.#deployment
    const ids = { response_id: `resp_${unit}`, item_id: `item_${unit}`, output_index: 0, content_index: 0 }
    const response = { id: ids.response_id, object: 'realtime.response' }
    const event = (type: string, number: string, fields: object) =>
      textFrame({ type, event_id: `evt_${unit}_${number}`, ...fields })
    return [
      event('response.created', 'created', { response: { ...response, status: 'in_progress', output: [] } }),
      ...Array.from({ length: pieces }, (_, piece) => {
        const ms = Math.min(DELTA_MS, unitMs - piece * DELTA_MS)
        const delta = tone((ms * outputRateHz) / 1000).toString('base64')
        return event('response.output_audio.delta', `delta_${piece}`, { ...ids, delta, sglang: sglang(piece) })
      }),
      event('response.output_audio.done', 'audio_done', ids),
      event('response.done', 'done', {
        response: { ...response, status: 'completed', status_details: { reason: 'stop' }, output: [], usage: null },
      }),
    ]
  }

  /** Chunks are numbered through the whole session. */
  #chunksBefore(unit: number): number {
    const replies = Math.floor(unit * this.#replyShare)
    return unit + replies * Math.ceil(this.#deployment.unitMs / DELTA_MS)
  }

  #msOf(samples: number): number {
    return (samples * 1000) / this.#deployment.inputRateHz
  }
}

/** A low hum, PCM16: audio whose bytes differ, as those of speech do. */
function tone(samples: number): Buffer {
  const pcm = Int16Array.from({ length: samples }, (_, at) => Math.round(4000 * Math.sin(at / 17)))
  return Buffer.from(pcm.buffer)
}
