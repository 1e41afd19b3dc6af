/**
 * The few facts that the metrics need from a trace: who said what when, without any judgement. One pass over the lines,
 * in trace order. Docs: docs/metrics.md; which events feed what is in docs/protocols.md.
 */
import type { InstantUs } from '../base/clock.js'
import { isObject, type TraceLine, type WireEvent } from '../capture/trace-record.js'
import type { ProtocolName } from '../profile/profile.js'
import { pcm16ByteLength } from '../protocol/pcm.js'
import { type Dialect, dialectOf, mayInterrupt } from './dialect.js'

export interface AudioDelta {
  readonly atUs: InstantUs
  readonly samples: number
}

export interface SentAppend {
  readonly atUs: InstantUs
  readonly eventId: string | undefined
  readonly seq: number | undefined
  /** Base64, as sent. */
  readonly audio: string | undefined
}

export interface WireReply {
  readonly id: string
  createdAtUs: InstantUs | undefined
  /** Unit receipts that had arrived when the reply was created (or first heard of). */
  unitsDoneBefore: number
  /** Unit named by the delta that carried the reply's first audio. */
  firstAudioUnit: number | undefined
  /** Deltas that arrived before a cut, in trace order. */
  readonly deltas: AudioDelta[]
  isCut: boolean
}

export interface WireFacts {
  readonly createdAtUs: InstantUs | undefined
  readonly closedAtUs: InstantUs | undefined
  readonly lastAtUs: InstantUs | undefined
  readonly hasReceived: boolean
  readonly hasUpdated: boolean
  /** Sends of audio packets, in trace order, with the audio as base64 text. */
  readonly appends: readonly SentAppend[]
  /** First receipt of each unit, by unit number. An empty unit after the input has a number beyond the expected ones. */
  readonly unitDoneAtUs: ReadonlyMap<number, InstantUs>
  /** Units for which audio or text arrived. */
  readonly speakUnits: ReadonlySet<number>
  readonly replies: readonly WireReply[]
  /** Audio samples of all deltas, cut or not. */
  readonly replySamples: number
  /** Highest `accepted_end_ms` that the server acknowledged. */
  readonly acceptedMs: number
  readonly deniedUpgrades: number
  readonly errorTexts: readonly string[]
  /** An `admission_rejected` error answered the first `session.update`. */
  readonly isFirstUpdateRejected: boolean
  /** The server's first event refused the session for want of resources. */
  readonly isRefusedInBand: boolean
}

const TEXT_DELTAS = new Set([
  'response.output_audio_transcript.delta',
  'response.output_text.delta',
  'response.text.delta',
  'response.audio_transcript.delta',
])

/** Reads the facts of one trace. Broken lines carry no fact; the verdict reports them. */
export function readWireFacts(lines: readonly TraceLine[], protocol: ProtocolName): WireFacts {
  return new WireFactsReader(protocol).read(lines)
}

class WireFactsReader {
  readonly #dialect: Dialect
  #createdAtUs: InstantUs | undefined
  #closedAtUs: InstantUs | undefined
  #lastAtUs: InstantUs | undefined
  #hasReceived = false
  #hasUpdated = false
  readonly #appends: SentAppend[] = []
  readonly #unitDoneAtUs = new Map<number, InstantUs>()
  #unitReceipts = 0
  readonly #speakUnits = new Set<number>()
  readonly #replies = new Map<string, WireReply>()
  readonly #openReplies = new Set<WireReply>()
  #replySamples = 0
  #acceptedMs = 0
  #deniedUpgrades = 0
  readonly #errorTexts: string[] = []
  #updatesSent = 0
  #firstUpdateId: string | undefined
  #isFirstUpdateRejected = false
  #isRefusedInBand = false
  #mayInterrupt = true

  constructor(protocol: ProtocolName) {
    this.#dialect = dialectOf(protocol)
  }

  read(lines: readonly TraceLine[]): WireFacts {
    for (const line of lines) {
      if (!line.ok) continue
      this.#lastAtUs = line.atUs
      if (line.direction === 'receive') this.#onReceive(line.atUs, line.event)
      else if (line.direction === 'send') this.#onSend(line.atUs, line.event)
      else if (line.direction === 'admission') this.#deniedUpgrades += 1
      else this.#errorTexts.push(typeof line.event.message === 'string' ? line.event.message : '')
    }
    return {
      createdAtUs: this.#createdAtUs,
      closedAtUs: this.#closedAtUs,
      lastAtUs: this.#lastAtUs,
      hasReceived: this.#hasReceived,
      hasUpdated: this.#hasUpdated,
      appends: this.#appends,
      unitDoneAtUs: this.#unitDoneAtUs,
      speakUnits: this.#speakUnits,
      replies: [...this.#replies.values()],
      replySamples: this.#replySamples,
      acceptedMs: this.#acceptedMs,
      deniedUpgrades: this.#deniedUpgrades,
      errorTexts: this.#errorTexts,
      isFirstUpdateRejected: this.#isFirstUpdateRejected,
      isRefusedInBand: this.#isRefusedInBand,
    }
  }

  #onSend(atUs: InstantUs, event: WireEvent): void {
    if (event.type === 'input_audio_buffer.append') {
      this.#appends.push({
        atUs,
        eventId: typeof event.event_id === 'string' ? event.event_id : undefined,
        seq: isObject(event.sglang) && typeof event.sglang.seq === 'number' ? event.sglang.seq : undefined,
        audio: typeof event.audio === 'string' ? event.audio : undefined,
      })
    } else if (event.type === 'session.update') {
      this.#updatesSent += 1
      if (this.#updatesSent > 1) return
      this.#firstUpdateId = typeof event.event_id === 'string' ? event.event_id : undefined
      this.#mayInterrupt = mayInterrupt(event.session)
    }
  }

  #onReceive(atUs: InstantUs, event: WireEvent): void {
    this.#hasReceived = true
    switch (event.type) {
      case 'session.created':
        this.#createdAtUs ??= atUs
        return
      case 'session.updated':
        this.#hasUpdated = true
        return
      case 'session.closed':
        this.#closedAtUs ??= atUs
        return
      case 'sglang.input_audio.accepted':
        if (typeof event.accepted_end_ms === 'number' && Number.isFinite(event.accepted_end_ms)) {
          this.#acceptedMs = Math.max(this.#acceptedMs, event.accepted_end_ms)
        }
        return
      case 'sglang.unit.done':
        this.#onUnitDone(atUs, event)
        return
      case 'response.created':
        this.#onReplyCreated(atUs, event)
        return
      case 'response.done':
        this.#onReplyDone(event)
        return
      case 'input_audio_buffer.speech_started':
        if (this.#dialect.isCutBySpeech === true && this.#mayInterrupt) this.#cutOpenReplies()
        return
      case 'output_audio_buffer.cleared':
        if (this.#dialect.isCutByClear === true) this.#onCleared(event)
        return
      case 'error':
        this.#onError(event)
        return
      default:
        if (typeof event.type !== 'string') return
        if (this.#dialect.audioDeltas.has(event.type)) this.#onAudio(atUs, event)
        else if (TEXT_DELTAS.has(event.type) && typeof event.delta === 'string' && event.delta !== '') {
          this.#speakUnits.add(unitNamedBy(event) ?? this.#unitReceipts)
        }
    }
  }

  #onUnitDone(atUs: InstantUs, event: WireEvent): void {
    this.#unitReceipts += 1
    const unit = unitNumber(event.unit_id) ?? unitNamedBy(event)
    if (unit !== undefined && !this.#unitDoneAtUs.has(unit)) this.#unitDoneAtUs.set(unit, atUs)
  }

  #onReplyCreated(atUs: InstantUs, event: WireEvent): void {
    const id = isObject(event.response) ? event.response.id : undefined
    if (typeof id !== 'string' || this.#replies.has(id)) return
    const reply = this.#addReply(id)
    reply.createdAtUs = atUs
  }

  #addReply(id: string): WireReply {
    const reply: WireReply = {
      id,
      createdAtUs: undefined,
      unitsDoneBefore: this.#unitReceipts,
      firstAudioUnit: undefined,
      deltas: [],
      isCut: false,
    }
    this.#replies.set(id, reply)
    this.#openReplies.add(reply)
    return reply
  }

  #onReplyDone(event: WireEvent): void {
    const response = isObject(event.response) ? event.response : undefined
    const reply = typeof response?.id === 'string' ? this.#replies.get(response.id) : undefined
    if (reply === undefined) return
    if (this.#dialect.isCutByCancelledDone === true && response?.status === 'cancelled') reply.isCut = true
    this.#openReplies.delete(reply)
  }

  /** Cuts the reply that the event names, or every open one where it names none that is known. */
  #onCleared(event: WireEvent): void {
    const named = typeof event.response_id === 'string' ? this.#replies.get(event.response_id) : undefined
    if (named === undefined) this.#cutOpenReplies()
    else named.isCut = true
  }

  #cutOpenReplies(): void {
    for (const reply of this.#openReplies) reply.isCut = true
  }

  #onAudio(atUs: InstantUs, event: WireEvent): void {
    const length = pcm16ByteLength(event.delta)
    if (!length.ok) return
    const unit = unitNamedBy(event)
    this.#speakUnits.add(unit ?? this.#unitReceipts)
    const samples = length.byteLength / 2
    this.#replySamples += samples
    const id = typeof event.response_id === 'string' ? event.response_id : ''
    const reply = this.#replies.get(id) ?? this.#addReply(id)
    if (reply.isCut) return
    if (reply.deltas.length === 0) reply.firstAudioUnit = unit
    reply.deltas.push({ atUs, samples })
  }

  #onError(event: WireEvent): void {
    if (!this.#hasUpdated && this.#createdAtUs === undefined) this.#isRefusedInBand ||= refusalCode(event)
    const error = isObject(event.error) ? event.error : undefined
    if (error?.code !== 'admission_rejected' || this.#updatesSent === 0 || this.#hasUpdated) return
    const blamed = error.event_id
    const isAboutFirst = typeof blamed === 'string' ? blamed === this.#firstUpdateId : this.#updatesSent === 1
    if (isAboutFirst) this.#isFirstUpdateRejected = true
  }
}

/** A server without HTTP refusals says with its first event that it is full (vLLM-Omni). */
function refusalCode(event: WireEvent): boolean {
  const error = isObject(event.error) ? event.error : event
  return error.code === 'resource_exhausted'
}

function unitNamedBy(event: WireEvent): number | undefined {
  return isObject(event.sglang) ? unitNumber(event.sglang.unit_id) : undefined
}

function unitNumber(unitId: unknown): number | undefined {
  const match = typeof unitId === 'string' ? /^unit_(\d+)$/.exec(unitId) : null
  return match?.[1] === undefined ? undefined : Number(match[1])
}
