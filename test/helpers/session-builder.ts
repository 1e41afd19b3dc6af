/**
 * Builds the recording of a whole session from a compact description: trace, send receipts and input, as they stand on
 * disk. What is not described is as a well-behaved server and a punctual client would have it, so that a test names
 * only what it is about. Readiness of units is found by adding up packets one by one, not by the formula under test.
 */
import { parseReceipts } from '../../src/capture/receipts.js'
import type { SessionRecording } from '../../src/capture/recording.js'
import { parseTrace } from '../../src/capture/trace-record.js'
import type { Profile } from '../../src/profile/profile.js'
import { type DraftLine, TraceDraft, type WireObject } from './trace-mutations.js'

/** Not a round number, and large: where seconds as binary fractions go wrong, they do so here. */
export const START_US = 593_390_135_901
const PACKET_US = 80_000

export interface DeltaPlan {
  /** After t0. */
  readonly atUs: number
  /** Output samples; 100 ms unless given. */
  readonly samples?: number
  /** Unit named in the delta's `sglang` block; none unless given. */
  readonly unit?: number
}

export interface ReplyPlan {
  readonly id?: string
  /** After t0, as every time here. */
  readonly createdAtUs: number
  readonly deltas?: readonly DeltaPlan[]
  readonly texts?: readonly { readonly atUs: number; readonly text: string; readonly unit?: number }[]
  /** Just after the last delta unless given. */
  readonly doneAtUs?: number
  readonly status?: 'completed' | 'cancelled'
  readonly reason?: string
}

export interface SessionPlan {
  readonly profile: Profile
  readonly name?: string
  readonly inputSamples: number
  /** Planned start: when packet 0 is due. */
  readonly startUs?: number
  /** By how much the send of a packet began after it was due; on time unless named. */
  readonly lateUs?: Readonly<Record<number, number>>
  /** How long the transport took for a packet; 100 µs unless named. */
  readonly takesUs?: Readonly<Record<number, number>>
  /** Receipt of a unit minus its readiness, by unit; 10 ms unless given, null for a unit that never finished. */
  readonly lagsUs?: readonly (number | null)[]
  /** The empty unit that a server may add after an input of whole units. */
  readonly hasEmptyEndUnit?: boolean
  readonly replies?: readonly ReplyPlan[]
  /** Refused upgrades before the session was let in. */
  readonly refusals?: number
  /** Further lines, times after t0. */
  readonly extra?: readonly { readonly atUs: number; readonly direction: string; readonly event: WireObject }[]
  /** The `session` object of the first update, where it is not the usual one. */
  readonly session?: WireObject
}

export class BuiltSession {
  readonly #plan: SessionPlan
  readonly #lines: DraftLine[] = []
  readonly startUs: number
  readonly packets: readonly { dueUs: number; startUs: number; doneUs: number; samples: number; firstSample: number }[]
  readonly inputPcm: Buffer
  readonly t0Us: number
  /** Length of the input, whole microseconds where the sample rate allows. */
  readonly inputUs: number

  constructor(plan: SessionPlan) {
    this.#plan = plan
    this.startUs = plan.startUs ?? START_US
    this.inputPcm = Buffer.from(Int16Array.from({ length: plan.inputSamples }, (_, i) => (i % 2000) - 1000).buffer)
    this.inputUs = (plan.inputSamples * 1e6) / plan.profile.input.sample_rate_hz
    this.packets = this.#planPackets()
    this.t0Us = this.packets[0]?.startUs ?? this.startUs
    this.#write()
  }

  get name(): string {
    return this.#plan.name ?? 'one'
  }

  get profile(): Profile {
    return this.#plan.profile
  }

  get traceText(): string {
    return this.#lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  }

  get receiptsText(): string {
    return JSON.stringify(this.receipts)
  }

  get receipts() {
    const appends = this.packets.map(({ dueUs, startUs, doneUs }, seq) => ({
      event_id: `append_${seq}`,
      seq,
      scheduled_s: dueUs / 1e6,
      start_s: startUs / 1e6,
      completed_s: doneUs / 1e6,
    }))
    return { appends }
  }

  /** The trace, to be broken. */
  draft(): TraceDraft {
    return new TraceDraft(this.traceText)
  }

  recording(changes: Partial<SessionRecording> = {}): SessionRecording {
    const receipts = parseReceipts(this.receiptsText)
    if ('problem' in receipts) throw new Error(receipts.problem)
    return {
      name: this.name,
      lines: parseTrace(this.traceText),
      receipts,
      inputPcm: this.inputPcm,
      declaredInputSamples: undefined,
      fileProblems: [],
      ...changes,
    }
  }

  /** When the last sample of a unit had been handed over, or the input had ended: added up packet by packet. */
  readyAtUs(unit: number): number {
    const unitSamples = ((this.profile.unit_ms ?? 0) * this.profile.input.sample_rate_hz) / 1000
    const lastSample = (unit + 1) * unitSamples - 1
    const holder = this.packets.find(({ firstSample, samples }) => lastSample < firstSample + samples)
    return holder?.doneUs ?? this.t0Us + this.inputUs
  }

  #planPackets() {
    const { profile, inputSamples, lateUs = {}, takesUs = {} } = this.#plan
    const full = (profile.input.sample_rate_hz * 80) / 1000
    const packets: { dueUs: number; startUs: number; doneUs: number; samples: number; firstSample: number }[] = []
    for (let firstSample = 0; firstSample < inputSamples; firstSample += full) {
      const k = packets.length
      const dueUs = this.startUs + k * PACKET_US
      const startUs = dueUs + (lateUs[k] ?? 0)
      const samples = Math.min(full, inputSamples - firstSample)
      packets.push({ dueUs, startUs, doneUs: startUs + (takesUs[k] ?? 100), samples, firstSample })
    }
    return packets
  }

  #write(): void {
    const { protocol } = this.#plan.profile
    const isLegacy = protocol === 'legacy-half-duplex'
    for (let attempt = 1; attempt <= (this.#plan.refusals ?? 0); attempt += 1) {
      const event = { type: 'connection_denied', http_status: 503, attempt }
      this.#add('admission', this.startUs - 100_000 + 1000 * attempt, event)
    }
    this.#addOpening()
    this.#addPackets()
    if (!isLegacy) this.#addUnits()
    this.#addReplies()
    for (const { atUs, direction, event } of this.#plan.extra ?? []) {
      this.#add(direction, this.t0Us + atUs, { event_id: `extra_${this.#lines.length}`, ...event })
    }
    if (isLegacy) this.#addProbe()
    else this.#addEnding()
    this.#lines.sort((a, b) => a.time_s - b.time_s)
  }

  #addOpening(): void {
    const { profile } = this.#plan
    const model = { id: `session_${this.name}`, object: 'realtime.session', type: 'realtime', model: 'fixture' }
    const asked = this.#plan.session ?? DEFAULT_SESSION[profile.protocol]
    if (asked === undefined) throw new Error(`sessions of ${profile.protocol} cannot be built`)
    this.#add('receive', this.startUs - 10_000, { type: 'session.created', event_id: 'server_created', session: model })
    this.#add('send', this.startUs - 9_000, { type: 'session.update', event_id: 'update', session: asked })
    const granted = profile.protocol === 'legacy-half-duplex' ? {} : { sglang: { granted: grantOf(profile) } }
    this.#add('receive', this.startUs - 5_000, {
      type: 'session.updated',
      event_id: 'server_updated',
      client_event_id: 'update',
      session: { ...model, ...asked, ...granted },
    })
  }

  #addPackets(): void {
    const rate = this.profile.input.sample_rate_hz
    this.packets.forEach(({ startUs, doneUs, firstSample, samples }, seq) => {
      const audio = this.inputPcm.subarray(2 * firstSample, 2 * (firstSample + samples)).toString('base64')
      const sglang = { seq, t_start_ms: (firstSample * 1000) / rate }
      this.#add('send', startUs, { type: 'input_audio_buffer.append', event_id: `append_${seq}`, audio, sglang })
      if (this.profile.protocol === 'legacy-half-duplex') return
      this.#add('receive', doneUs + 500, {
        type: 'sglang.input_audio.accepted',
        event_id: `server_accepted_${seq}`,
        seq,
        accepted_end_ms: ((firstSample + samples) * 1000) / rate,
        client_event_id: `append_${seq}`,
      })
    })
  }

  #addUnits(): void {
    const { lagsUs, hasEmptyEndUnit } = this.#plan
    const unitMs = this.profile.unit_ms ?? 0
    const inputMs = this.inputUs / 1000
    const count = Math.ceil((inputMs * 1000) / (unitMs * 1000))
    for (let unit = 0; unit < count; unit += 1) {
      const given = lagsUs?.[unit]
      const lagUs = given === undefined ? 10_000 : given
      if (lagUs === null) continue
      this.#addUnit(unit, Math.min(unitMs, inputMs - unit * unitMs), this.readyAtUs(unit) + lagUs)
    }
    if (hasEmptyEndUnit) this.#addUnit(count, 0, this.#lastUs() + 200)
  }

  #addUnit(unit: number, durationMs: number, atUs: number): void {
    const unitId = `unit_${unit}`
    const mediaTime = { t_start_ms: unit * (this.profile.unit_ms ?? 0), duration_ms: durationMs }
    this.#add('receive', atUs, {
      type: 'sglang.unit.done',
      event_id: `server_${unitId}`,
      unit_id: unitId,
      sglang: { unit_id: unitId, media_time: mediaTime },
    })
  }

  #addReplies(): void {
    this.#plan.replies?.forEach((reply, index) => {
      const id = reply.id ?? `reply_${index}`
      const { createdAtUs, deltas = [], texts = [], status = 'completed', reason = 'stop' } = reply
      const isLegacy = this.profile.protocol === 'legacy-half-duplex'
      const at = (atUs: number, type: string, rest: WireObject) =>
        this.#add('receive', this.t0Us + atUs, { type, event_id: `server_reply_${this.#lines.length}`, ...rest })
      at(createdAtUs, 'response.created', {
        response: { id, object: 'realtime.response', status: 'in_progress', output: [] },
      })
      const part = { response_id: id, item_id: `item_${id}`, output_index: 0, content_index: isLegacy ? 1 : 0 }
      for (const { atUs, unit, samples = this.profile.output.sample_rate_hz / 10 } of deltas) {
        const delta = Buffer.alloc(2 * samples, 1).toString('base64')
        at(atUs, isLegacy ? 'response.audio.delta' : 'response.output_audio.delta', { delta, ...part, ...named(unit) })
      }
      for (const { atUs, text, unit } of texts) {
        at(atUs, 'response.output_audio_transcript.delta', { delta: text, ...part, ...named(unit) })
      }
      const lastUs = Math.max(createdAtUs, ...deltas.map(({ atUs }) => atUs), ...texts.map(({ atUs }) => atUs))
      const doneAtUs = reply.doneAtUs ?? lastUs + 100
      if (deltas.length > 0) at(doneAtUs, isLegacy ? 'response.audio.done' : 'response.output_audio.done', part)
      const details = { status_details: { reason }, output: [], usage: {} }
      at(doneAtUs, 'response.done', { response: { id, object: 'realtime.response', status, ...details } })
    })
  }

  #addEnding(): void {
    const last = this.packets.at(-1)
    const endUs = Math.max(this.t0Us + Math.ceil(this.inputUs), last?.doneUs ?? 0)
    const inputMs = this.inputUs / 1000
    const isNative = this.profile.protocol === 'native'
    const unitMs = this.profile.unit_ms ?? 1
    const paddingMs = isNative ? Math.ceil(inputMs / unitMs) * unitMs - inputMs : 0
    const drainedUs = Math.max(endUs + 1000, this.#lastUs()) + 500
    this.#add('send', endUs, { type: 'sglang.input_audio.end', event_id: 'end' })
    this.#add('receive', endUs + 900, {
      type: 'sglang.input_audio.ended',
      event_id: 'server_ended',
      accepted_end_ms: inputMs,
      tail_policy: isNative ? 'pad' : 'flush',
      client_event_id: 'end',
    })
    const amounts = { accepted_end_ms: inputMs, consumed_ms: inputMs, discarded_ms: 0, padding_ms: paddingMs }
    this.#add('receive', drainedUs, {
      type: 'sglang.input_audio.drained',
      event_id: 'server_drained',
      ...amounts,
      client_event_id: 'end',
    })
    this.#add('send', drainedUs + 100, { type: 'session.close', event_id: 'close' })
    this.#add('receive', drainedUs + 1000, {
      type: 'session.closed',
      event_id: 'server_closed',
      reason: 'client_closed',
      client_event_id: 'close',
    })
  }

  #addProbe(): void {
    const probeUs = Math.max(this.t0Us + Math.ceil(this.inputUs), this.#lastUs()) + 1000
    const session = { id: `session_${this.name}`, object: 'realtime.session' }
    this.#add('send', probeUs, { type: 'session.update', event_id: 'probe', session: {} })
    this.#add('receive', probeUs + 1000, { type: 'session.updated', event_id: 'server_probed', session })
  }

  #lastUs(): number {
    return Math.round(Math.max(...this.#lines.map((line) => line.time_s)) * 1e6)
  }

  #add(direction: string, atUs: number, event: WireObject): void {
    this.#lines.push({ direction, time_s: atUs / 1e6, event })
  }
}

/** A session that was never let in: refused upgrades, then whatever the client wrote as its error. */
export function deniedRecording(options: {
  readonly name?: string
  readonly inputSamples: number
  readonly refusals?: number
  /** Texts of the client's errors. */
  readonly errors?: readonly string[]
}): SessionRecording {
  const { name = 'denied', inputSamples, refusals = 3, errors = ['admission denied 4 times with HTTP 503'] } = options
  const lines = Array.from({ length: refusals }, (_, index) => ({
    direction: 'admission',
    event: { type: 'connection_denied', http_status: 503, attempt: index + 1 } as WireObject,
  })).concat(errors.map((message) => ({ direction: 'error', event: { message } })))
  const text = lines.map((line, index) => JSON.stringify({ ...line, time_s: START_US / 1e6 + index / 4 })).join('\n')
  return {
    name,
    lines: parseTrace(`${text}\n`),
    receipts: undefined,
    inputPcm: new Uint8Array(2 * inputSamples),
    declaredInputSamples: undefined,
    fileProblems: [],
  }
}

const DETECTION = { type: 'server_vad', silence_duration_ms: 500 }
/** Of the protocols whose sessions can be built here. */
const DEFAULT_SESSION: Partial<Readonly<Record<Profile['protocol'], WireObject>>> = {
  native: { output_modalities: ['audio'] },
  'turn-based': { output_modalities: ['text', 'audio'], audio: { input: { turn_detection: DETECTION } } },
  'legacy-half-duplex': { modalities: ['text', 'audio'], turn_detection: DETECTION },
}

function named(unit: number | undefined): WireObject {
  return unit === undefined ? {} : { sglang: { unit_id: `unit_${unit}` } }
}

/** What a server grants that does all the profile asks for; docs/protocols.md, checks N16 to N18 and T1. */
function grantOf(profile: Profile): WireObject {
  const isNative = profile.protocol === 'native'
  return {
    interaction: isNative ? 'native' : 'turn_based',
    native_full_duplex: isNative,
    proactive_output: false,
    client_commit: false,
    output_modalities: ['audio', 'text'],
    input_audio_format: { type: 'audio/pcm', rate: profile.input.sample_rate_hz },
    output_audio_format: { type: 'audio/pcm', rate: profile.output.sample_rate_hz },
    native_unit_ms: profile.unit_ms,
    first_unit_ms: profile.unit_ms,
    microturn_ms: null,
    tail_policy: isNative ? 'pad' : 'flush',
    supports_server_interrupt: false,
    supports_truncate: true,
    supports_resume: false,
    pressure_policy: 'reject',
    strict_order: true,
  }
}
