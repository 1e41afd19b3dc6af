/**
 * Everything the level row needs of one session, computed from its recording alone. A session that was denied, cut or
 * stalled is a set of facts like any other, with the reasons why it failed.
 */
import type { DurationUs, InstantUs } from '../base/clock.js'
import type { SendReceipts } from '../capture/receipts.js'
import type { SessionRecording } from '../capture/recording.js'
import { modeOf, type Profile, type ProtocolName, samplesPerPacket, samplesPerUnit } from '../profile/profile.js'
import { judgeSession } from '../protocol/judge.js'
import { decodePcm16 } from '../protocol/pcm.js'
import type { VerdictStatus, Violation } from '../protocol/verdict.js'
import { judgePacing, type PacingFacts, packetsOf, type SentPacket } from './pacing.js'
import { bufferNeededUs, pausesUs, realTimeFactor, usOfSamples } from './playback.js'
import { UnitReadiness } from './unit-readiness.js'
import { readWireFacts, type WireFacts, type WireReply } from './wire-facts.js'

export interface UnitFacts {
  readonly unit: number
  readonly doneAtUs: InstantUs
  /** Receipt of `sglang.unit.done` minus the moment the unit was ready; undefined when its input was never sent whole. */
  readonly lagUs: DurationUs | undefined
  /** Audio or text arrived for it. */
  readonly isSpeak: boolean
}

export interface ReplyFacts {
  readonly id: string
  /** Undefined when its origin (the unit's input, or `response.created`) is not in the recording. */
  readonly firstAudioUs: DurationUs | undefined
  readonly bufferNeededUs: DurationUs
  readonly pausesUs: readonly DurationUs[]
  readonly realTimeFactor: number | undefined
  readonly deltas: number
  readonly isCut: boolean
}

export interface SessionFacts {
  readonly name: string
  readonly inputSamples: number
  readonly inputUs: DurationUs
  readonly protocolStatus: VerdictStatus
  readonly violations: readonly Violation[]
  readonly notes: readonly Violation[]
  /** Protocol verdict `pass`, whole input sent as recorded, no stalled input. */
  readonly hasSucceeded: boolean
  /** Why it failed, each a sentence beginning with the number of the check where there is one. */
  readonly reasons: readonly string[]
  readonly isDenied: boolean
  /** Refused upgrades of a session that was let in later. */
  readonly admissionRetries: number
  readonly pacing: PacingFacts
  readonly packetsSent: number
  readonly hasSentAllInput: boolean
  /** Receipt of `session.created`; undefined for a session that never opened. */
  readonly openAtUs: InstantUs | undefined
  readonly closeAtUs: InstantUs | undefined
  /** Start of the first send: origin of the observation window. */
  readonly t0Us: InstantUs | undefined
  /** Null where the protocol is not judged by units. */
  readonly unitsExpected: number | null
  /** Expected units with a receipt, in order of their number. */
  readonly units: readonly UnitFacts[]
  readonly replies: readonly ReplyFacts[]
  /** Milliseconds of input that the server acknowledged; null where the protocol acknowledges nothing. */
  readonly acceptedMs: number | null
  /** Reply audio received, cut or not, in seconds. */
  readonly replyS: number
}

export interface SessionFactsOptions {
  readonly recording: SessionRecording
  readonly profile: Profile
  readonly admissionRetryLimit: number
  /** Playback reserve for underruns. */
  readonly reserveUs: DurationUs
}

/** Computes the facts of one session. Never throws on what a recording holds. */
export function sessionFacts({
  recording,
  profile,
  admissionRetryLimit,
  reserveUs,
}: SessionFactsOptions): SessionFacts {
  const wire = readWireFacts(recording.lines, profile.protocol)
  const verdict = judgeSession({ profile, lines: recording.lines, admissionRetryLimit })
  const sent = readSentAudio(wire)
  const inputSamples =
    recording.inputPcm === undefined
      ? Math.max(recording.declaredInputSamples ?? 0, sent.samples)
      : Math.floor(recording.inputPcm.byteLength / 2)
  const inputUs = usOfSamples(inputSamples, profile.input.sample_rate_hz)
  const packets = packetsOf(
    recording.receipts,
    wire.appends.map(({ atUs }) => atUs),
  )
  const pacing = judgePacing({ packets, inputUs })
  const reasons = [
    ...tellingFirst(verdict.violations).map(({ check, message }) => `${check} ${message}`),
    ...(verdict.status === 'not_exercised' ? ['not exercised: input and output never overlapped'] : []),
    ...recording.fileProblems,
    ...inputReasons(recording.inputPcm, sent),
    ...receiptReasons(recording.receipts, wire),
    ...(pacing.isInputStalled ? ['input stalled: the transport could not hand a packet over in time'] : []),
  ]
  const mode = modeOf(profile)
  const isNative = mode === 'native'
  const unitSamples = isNative ? samplesPerUnit(profile) : undefined
  const readiness = new UnitReadiness({ profile, packets, inputSamples, inputUs, unitSamples })
  return {
    name: recording.name,
    inputSamples,
    inputUs,
    protocolStatus: verdict.status,
    violations: verdict.violations,
    notes: verdict.notes,
    hasSucceeded: reasons.length === 0,
    reasons,
    isDenied: isDenied(wire, profile.protocol),
    admissionRetries: isLetIn(wire, profile.protocol) ? wire.deniedUpgrades : 0,
    pacing,
    packetsSent: packets.length,
    hasSentAllInput: hasSentAll({ profile, packets, inputSamples }),
    openAtUs: wire.createdAtUs,
    closeAtUs: wire.createdAtUs === undefined ? undefined : (wire.closedAtUs ?? wire.lastAtUs),
    t0Us: packets[0]?.startAtUs,
    unitsExpected: unitSamples === undefined ? null : readiness.unitsExpected,
    units: unitSamples === undefined ? [] : unitFacts(wire, readiness),
    replies: wire.replies
      .filter((reply) => reply.deltas.length > 0)
      .map((reply) => replyFacts({ reply, profile, reserveUs, readiness: isNative ? readiness : undefined })),
    acceptedMs: mode === 'native' || profile.protocol === 'turn-based' ? wire.acceptedMs : null,
    replyS: wire.replySamples / profile.output.sample_rate_hz,
  }
}

/** A failure on the client's side and a server error explain what follows from them: missing receipts and the like. */
const TELLING_CHECKS = ['C5', 'N38', 'L15', 'O10', 'V5']

function tellingFirst(violations: readonly Violation[]): Violation[] {
  const isTelling = ({ check }: Violation) => TELLING_CHECKS.includes(check)
  return [...violations.filter(isTelling), ...violations.filter((violation) => !isTelling(violation))]
}

function unitFacts(wire: WireFacts, readiness: UnitReadiness): UnitFacts[] {
  const units: UnitFacts[] = []
  for (let unit = 0; unit < readiness.unitsExpected; unit += 1) {
    const doneAtUs = wire.unitDoneAtUs.get(unit)
    if (doneAtUs === undefined) continue
    const readyAtUs = readiness.readyAtUs(unit)
    units.push({
      unit,
      doneAtUs,
      lagUs: readyAtUs === undefined ? undefined : doneAtUs - readyAtUs,
      isSpeak: wire.speakUnits.has(unit),
    })
  }
  return units
}

function replyFacts(options: {
  reply: WireReply
  profile: Profile
  reserveUs: DurationUs
  /** Native: first audio counts from a unit's readiness. Undefined: from `response.created`. */
  readiness: UnitReadiness | undefined
}): ReplyFacts {
  const { reply, profile, reserveUs, readiness } = options
  const audio = { deltas: reply.deltas, sampleRateHz: profile.output.sample_rate_hz }
  const mode = modeOf(profile)
  const originUs =
    readiness !== undefined
      ? readiness.readyAtUs(reply.firstAudioUnit ?? reply.unitsDoneBefore)
      : // Without turns and receipts there is no established origin.
        mode === 'stream'
        ? undefined
        : reply.createdAtUs
  const firstAtUs = reply.deltas[0]?.atUs
  return {
    id: reply.id,
    firstAudioUs: originUs === undefined || firstAtUs === undefined ? undefined : firstAtUs - originUs,
    bufferNeededUs: bufferNeededUs(audio),
    pausesUs: pausesUs(audio, reserveUs),
    realTimeFactor: mode === 'turn_based' ? realTimeFactor(audio) : undefined,
    deltas: reply.deltas.length,
    isCut: reply.isCut,
  }
}

/**
 * Refused admission: an `admission_rejected` on the first update, or refused upgrades and nothing after them. Refusals
 * that were followed by another cause (connection refused, a time-out) are a failed session, not a denied one.
 */
function isDenied(wire: WireFacts, protocol: ProtocolName): boolean {
  if (wire.isFirstUpdateRejected) return true
  if (protocol === 'vllm-duplex' && wire.isRefusedInBand) return true
  if (wire.hasReceived) return false
  if (wire.errorTexts.some((text) => /\b503\b/.test(text))) return true
  // Which statuses mean "full" is not established for OpenAI's servers: every answer but 101 is a refusal.
  if (protocol === 'openai-realtime' && wire.errorTexts.some((text) => /\bHTTP \d{3}\b/.test(text))) return true
  return wire.deniedUpgrades > 0 && wire.errorTexts.length === 0
}

/** `session.created` alone is not admission, but where the client speaks first. */
function isLetIn(wire: WireFacts, protocol: ProtocolName): boolean {
  return wire.hasUpdated || (protocol === 'vllm-duplex' && wire.createdAtUs !== undefined)
}

interface SentAudio {
  readonly samples: number
  readonly chunks: readonly (Uint8Array | undefined)[]
}

function readSentAudio(wire: WireFacts): SentAudio {
  const chunks = wire.appends.map(({ audio }) => {
    const decoded = audio === undefined ? undefined : decodePcm16(audio)
    return decoded?.ok ? decoded.bytes : undefined
  })
  return { chunks, samples: chunks.reduce((sum, chunk) => sum + (chunk?.byteLength ?? 0) / 2, 0) }
}

/**
 * Receipts that contradict the trace belong to another session, or to a broken recorder: no lag can be taken from them.
 * Receipts that end early are no contradiction; what they do not show was not sent.
 */
function receiptReasons(receipts: SendReceipts | undefined, wire: WireFacts): string[] {
  if (receipts === undefined) return []
  if (receipts.packets.length > wire.appends.length) {
    return [`the send receipts hold ${receipts.packets.length} packets, the trace ${wire.appends.length}`]
  }
  const index = receipts.packets.findIndex(({ seq, sendStartAtUs, eventId }, position) => {
    const append = wire.appends[position]
    return (
      append?.atUs !== sendStartAtUs ||
      (eventId !== undefined && append.eventId !== eventId) ||
      (append.seq !== undefined && append.seq !== seq)
    )
  })
  return index < 0 ? [] : [`the send receipt of packet ${index} does not belong to this trace`]
}

/** A session must have sent the input that stands beside its trace, all of it. */
function inputReasons(inputPcm: Uint8Array | undefined, sent: SentAudio): string[] {
  if (inputPcm === undefined) return []
  const inputSamples = Math.floor(inputPcm.byteLength / 2)
  if (sent.samples !== inputSamples) return [`sent ${sent.samples} of ${inputSamples} input samples`]
  let offset = 0
  for (const chunk of sent.chunks) {
    if (chunk === undefined) continue
    const expected = inputPcm.subarray(offset, offset + chunk.byteLength)
    if (Buffer.compare(chunk, expected) !== 0) {
      return [`the audio sent differs from the recorded input after sample ${offset / 2}`]
    }
    offset += chunk.byteLength
  }
  return []
}

function hasSentAll(options: { profile: Profile; packets: readonly SentPacket[]; inputSamples: number }): boolean {
  const expected = Math.ceil(options.inputSamples / samplesPerPacket(options.profile))
  const done = options.packets.filter(({ doneAtUs }) => doneAtUs !== undefined).length
  return expected > 0 && done >= expected
}
