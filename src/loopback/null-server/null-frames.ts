/**
 * Everything that the null server says, framed before anybody connects: its sessions are all the same, so one set of bytes
 * serves them all. It keeps the session protocol of a native deployment in every point that a verdict looks at, answers
 * at once, and speaks in a fixed share of the units: some sessions in some units, others in others.
 */
import type { WireEvent } from '../../capture/trace-record.js'
import { type Deployment, grantOf } from '../deployment.js'

const PACKET_MS = 80
/** Sessions are of so many kinds, by the units in which they speak. */
export const GROUPS = 5
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
  readonly #pieces: number
  readonly #afterPacket: Buffer[][] = Array.from({ length: GROUPS }, () => [])
  readonly #delta: string

  /** @param replyShare of the units that are answered with audio, from 0 to 1 */
  constructor(deployment: Deployment, replyShare: number) {
    this.#deployment = deployment
    this.#replyShare = replyShare
    this.#packetSamples = (PACKET_MS * deployment.inputRateHz) / 1000
    this.#pieces = Math.ceil(deployment.unitMs / DELTA_MS)
    this.#delta = tone((Math.min(DELTA_MS, deployment.unitMs) * deployment.outputRateHz) / 1000).toString('base64')
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

  /**
   * What follows whole packet `packet`, counted from 0: its acknowledgement, and what is due of replies and units.
   * @param group which units speak: sessions of different groups speak at different times
   */
  afterPacket(group: number, packet: number): Buffer {
    const known = this.#afterPacket[group]?.[packet]
    if (known !== undefined) return known
    const before = packet * this.#packetSamples
    const made = this.afterSamples(group, { packet, before, after: before + this.#packetSamples })
    const frames = this.#afterPacket[group]
    if (frames !== undefined) frames[packet] = made
    return made
  }

  /** The same for a packet of any length: samples that had arrived before it, and that have after it. */
  afterSamples(group: number, { packet, before, after }: { packet: number; before: number; after: number }): Buffer {
    const accepted = textFrame({
      type: 'sglang.input_audio.accepted',
      event_id: `evt_accepted_${packet}`,
      seq: packet,
      accepted_end_ms: this.#msOf(after),
      client_event_id: `c_append_${packet}`,
    })
    const { unitSamples } = this.#deployment
    const first = Math.max(0, Math.floor(before / unitSamples) - 1)
    return Buffer.concat([accepted, ...this.#units(group, { first, before, after })])
  }

  /** The end of the input after `samples`: what is still owed, the rest of a unit, and the word that nothing is left. */
  drained(group: number, samples: number, clientEventId: unknown): Buffer {
    const { unitSamples } = this.#deployment
    const rest = samples % unitSamples
    const first = Math.max(0, Math.floor(samples / unitSamples) - 1)
    const ended = textFrame({
      type: 'sglang.input_audio.ended',
      event_id: 'evt_ended',
      accepted_end_ms: this.#msOf(samples),
      tail_policy: 'pad',
      client_event_id: clientEventId,
    })
    const drained = textFrame({
      type: 'sglang.input_audio.drained',
      event_id: 'evt_drained',
      accepted_end_ms: this.#msOf(samples),
      consumed_ms: this.#msOf(samples),
      discarded_ms: 0,
      padding_ms: rest === 0 ? 0 : this.#msOf(unitSamples - rest),
      client_event_id: clientEventId,
    })
    const owed = this.#units(group, { first, before: samples, after: Number.POSITIVE_INFINITY, inputEnd: samples })
    return Buffer.concat([ended, ...owed, drained])
  }

  closed(clientEventId: unknown): Buffer {
    return textFrame({
      type: 'session.closed',
      event_id: 'evt_closed',
      reason: 'client_closed',
      client_event_id: clientEventId,
    })
  }

  /**
   * What becomes due between two numbers of samples. A unit that is silent is done when its last sample has arrived; a reply
   * streams out, piece by piece, with the packets of the unit after it, as it would from a model that takes its time, and
   * its unit is done with it.
   */
  #units(group: number, span: { first: number; before: number; after: number; inputEnd?: number }): Buffer[] {
    const { unitSamples } = this.#deployment
    const inputEnd = span.inputEnd ?? Number.POSITIVE_INFINITY
    const frames: Buffer[] = []
    for (let unit = span.first; unit * unitSamples < Math.min(span.after, inputEnd); unit += 1) {
      const end = Math.min((unit + 1) * unitSamples, inputEnd)
      const samples = end - unit * unitSamples
      if (this.#speaks(group, unit)) {
        const from = this.#piecesOut(unit, span.before)
        const to = this.#piecesOut(unit, span.after)
        frames.push(...this.#reply(group, unit, { from, to, samples }))
      } else if ((span.before < end || end === inputEnd) && span.after >= end && this.#isNotDone(span.before, unit)) {
        frames.push(this.#unitDone(group, unit, samples))
      }
    }
    return frames
  }

  #isNotDone(before: number, unit: number): boolean {
    return before < (unit + 1) * this.#deployment.unitSamples
  }

  /** Pieces of a unit's reply that are out when so many samples have arrived. */
  #piecesOut(unit: number, samples: number): number {
    const { unitSamples } = this.#deployment
    if (samples >= (unit + 2) * unitSamples) return this.#pieces
    return Math.min(this.#pieces, Math.max(0, Math.ceil((samples - (unit + 1) * unitSamples) / this.#packetSamples)))
  }

  #reply(group: number, unit: number, { from, to, samples }: { from: number; to: number; samples: number }): Buffer[] {
    const { unitMs, outputRateHz } = this.#deployment
    const ids = { response_id: `resp_${unit}`, item_id: `item_${unit}`, output_index: 0, content_index: 0 }
    const response = { id: ids.response_id, object: 'realtime.response' }
    const event = (type: string, number: string, fields: object) =>
      textFrame({ type, event_id: `evt_${unit}_${number}`, ...fields })
    const frames: Buffer[] = []
    if (from === 0 && to > 0) {
      const created = { ...response, status: 'in_progress', output: [] }
      frames.push(event('response.created', 'created', { response: created }))
    }
    for (let piece = from; piece < to; piece += 1) {
      const ms = Math.min(DELTA_MS, unitMs - piece * DELTA_MS)
      const delta = this.#delta.slice(0, ((ms * outputRateHz) / 1000 / 3) * 8)
      const sglang = this.#sglang(group, unit, { piece, samples })
      frames.push(event('response.output_audio.delta', `delta_${piece}`, { ...ids, delta, sglang }))
    }
    if (to === this.#pieces && from < to) {
      const done = { ...response, status: 'completed', status_details: { reason: 'stop' }, output: [], usage: null }
      frames.push(event('response.output_audio.done', 'audio_done', ids))
      frames.push(event('response.done', 'done', { response: done }))
      frames.push(this.#unitDone(group, unit, samples))
    }
    return frames
  }

  #unitDone(group: number, unit: number, samples: number): Buffer {
    const piece = this.#speaks(group, unit) ? this.#pieces : 0
    return textFrame({
      type: 'sglang.unit.done',
      event_id: `evt_unit_${unit}`,
      unit_id: `unit_${unit}`,
      sglang: this.#sglang(group, unit, { piece, samples }),
    })
  }

  #sglang(group: number, unit: number, { piece, samples }: { piece: number; samples: number }): object {
    const mediaTime = { t_start_ms: unit * this.#deployment.unitMs, duration_ms: this.#msOf(samples) }
    // Chunks are numbered through the whole session.
    const before = unit + this.#repliesBefore(group, unit) * this.#pieces
    return { unit_id: `unit_${unit}`, chunk_seq: before + piece, media_time: mediaTime }
  }

  #speaks(group: number, unit: number): boolean {
    return this.#repliesBefore(group, unit + 1) > this.#repliesBefore(group, unit)
  }

  #repliesBefore(group: number, unit: number): number {
    return Math.floor((unit + group) * this.#replyShare) - Math.floor(group * this.#replyShare)
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
