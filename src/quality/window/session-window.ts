/**
 * From one recorded session to its observation window, or to every reason why it has none. Pure.
 * Source: docs/metrics.md, "Observation window".
 */
import type { SessionRecording } from '../../capture/recording.js'
import { RECEIPTS_FILE } from '../../capture/run-manifest.js'
import { windowSamplesOf } from '../../dataset/input-clip.js'
import { type Profile, samplesPerPacket } from '../../profile/profile.js'
import { judgeSession } from '../../protocol/judge.js'
import type { Verdict } from '../../protocol/verdict.js'
import { type ObservationWindow, observationWindow, WINDOW_RATE_HZ } from './observation-window.js'
import { pacingReasons, packetReasons, receiptReasons } from './packet-reasons.js'
import { distinctReasons, type Reason, type ReasonCode } from './reasons.js'
import { readWindowRecord, type WindowRecord } from './window-record.js'

export interface SessionWindowOptions {
  readonly recording: SessionRecording
  readonly profile: Profile
  /** Length of the window at 16 kHz, N; undefined takes that of the input. */
  readonly windowSamples: number | undefined
  readonly admissionRetryLimit: number
  /** What the run's books say of the input and its source, and what was found of it. */
  readonly bookReasons: readonly Reason[]
}

export type SessionWindow =
  | { readonly ok: true; readonly window: ObservationWindow; readonly windowSamples: number }
  | {
      readonly ok: false
      /** In the order of `REASON_CODES`, each code once. */
      readonly reasons: readonly Reason[]
      readonly windowSamples: number | undefined
    }

/** The window, or all reasons together, each once. */
export function sessionWindow(options: SessionWindowOptions): SessionWindow {
  const { recording, profile, bookReasons } = options
  const record = readWindowRecord(recording.lines, profile.protocol)
  const input = usableInput(recording, profile)
  const windowSamples = options.windowSamples ?? input?.windowSamples
  const startS = record.appends[0]?.timeS
  const span = startS === undefined || windowSamples === undefined ? undefined : spanOf(startS, windowSamples)
  const rateHz = outputRateHz(record, profile, span)
  const verdict = verdictOf(options)
  const reasons = distinctReasons([
    ...fileReasons(recording),
    ...lengthReasons(input, windowSamples),
    ...lineReasons(record),
    ...idReasons(record, span),
    ...(input === undefined ? [] : sendReasons(record, input, options)),
    ...(input === undefined || recording.receipts !== undefined ? [] : lateAppendReasons(record, span, input)),
    ...incidentReasons(record, span, verdict),
    ...outputReasons(record, span, rateHz),
    ...verdictReasons(verdict),
    ...bookReasons,
  ])
  if (reasons.length > 0 || span === undefined || windowSamples === undefined || rateHz === undefined) {
    return { ok: false, reasons, windowSamples }
  }
  const { playout } = record
  const window = observationWindow({ playout, startS: span.startS, windowSamples, outputRateHz: rateHz })
  return { ok: true, window, windowSamples }
}

interface UsableInput {
  readonly pcm: Uint8Array
  readonly durationS: number
  /** At 16 kHz. */
  readonly windowSamples: number
}

/** From the first packet to the end of the input, in the trace's seconds. */
interface Span {
  readonly startS: number
  readonly endS: number
}

function spanOf(startS: number, windowSamples: number): Span {
  return { startS, endS: startS + windowSamples / WINDOW_RATE_HZ }
}

function usableInput({ inputPcm: pcm }: SessionRecording, profile: Profile): UsableInput | undefined {
  if (pcm === undefined || pcm.byteLength === 0 || pcm.byteLength % 2 !== 0) return undefined
  const rateHz = profile.input.sample_rate_hz
  const frames = pcm.byteLength / 2
  return { pcm, durationS: frames / rateHz, windowSamples: windowSamplesOf(frames, rateHz) }
}

function fileReasons({ fileProblems, inputPcm, lines }: SessionRecording): Reason[] {
  const reasons = fileProblems.map((detail): Reason => ({ code: fileReasonCode(detail), detail }))
  if (inputPcm === undefined && reasons.length === 0) {
    reasons.push({ code: 'file_missing', detail: 'the recorded input is missing' })
  }
  if (lines.length === 0 && !reasons.some(({ code }) => code === 'file_missing')) {
    reasons.push({ code: 'trace_unreadable', detail: 'the trace is empty' })
  }
  return reasons
}

/** The reader of a run says in words what is wrong with a file. */
function fileReasonCode(problem: string): ReasonCode {
  if (/^input\.pcm (?:is empty|has an odd)/.test(problem)) return 'input_invalid'
  return problem.startsWith(RECEIPTS_FILE) ? 'receipts_missing' : 'file_missing'
}

/** The window is that of the item, to which silence may have been appended: it is never longer than what was sent. */
function* lengthReasons(input: UsableInput | undefined, windowSamples: number | undefined): Generator<Reason> {
  if (input === undefined || windowSamples === undefined || windowSamples <= input.windowSamples) return
  const detail = `the window has ${windowSamples} samples at 16 kHz, the recorded input ${input.windowSamples}`
  yield { code: 'input_invalid', detail }
}

function* lineReasons({ lineProblems, backwardLine }: WindowRecord): Generator<Reason> {
  for (const detail of lineProblems) yield { code: 'trace_unreadable', detail }
  if (backwardLine !== undefined) {
    yield { code: 'clock_goes_back', detail: `the time of line ${backwardLine} is before that of the line above it` }
  }
}

/** What happens after the window does not spoil it; without a window there is no after. */
function isInside(timeS: number, span: Span | undefined): boolean {
  return span === undefined || timeS <= span.endS
}

function* idReasons({ idProblems }: WindowRecord, span: Span | undefined): Generator<Reason> {
  for (const { timeS, isOfPacket, text } of idProblems) {
    if (isOfPacket || isInside(timeS, span)) yield { code: 'event_id', detail: text }
  }
}

function* sendReasons(
  record: WindowRecord,
  { pcm: inputPcm }: UsableInput,
  { recording, profile }: SessionWindowOptions,
): Generator<Reason> {
  const { appends } = record
  const packets = {
    appends,
    protocol: profile.protocol,
    inputPcm,
    inputRateHz: profile.input.sample_rate_hz,
    samplesPerPacket: samplesPerPacket(profile),
  }
  yield* packetReasons(packets)
  yield* pacingReasons(appends)
  if (recording.receipts !== undefined) yield* receiptReasons({ ...packets, receipts: recording.receipts })
}

/** Without receipts only the starts show that the input was sent in its time. */
function* lateAppendReasons(record: WindowRecord, span: Span | undefined, input: UsableInput): Generator<Reason> {
  if (span === undefined) return
  const endS = Math.max(span.endS, span.startS + input.durationS)
  const late = record.appends.findIndex(({ timeS }) => timeS > endS)
  if (late >= 0) yield { code: 'append_after_window', detail: `packet ${late} was sent after the end of the input` }
}

function* incidentReasons(
  { incidents, lastReceivedS }: WindowRecord,
  span: Span | undefined,
  verdict: Verdict | undefined,
): Generator<Reason> {
  // A server that answers a truncation which came too late is no failure: the verdict only notes it.
  const noted = new Set(verdict?.notes.filter(({ check }) => check === 'O10').map(({ line }) => line))
  for (const { kind, timeS, line, text } of incidents) {
    if (!isInside(timeS, span) || noted.has(line)) continue
    if (kind === 'error') yield { code: 'error_in_window', detail: `line ${line}: ${text}` }
    else if (span !== undefined)
      yield { code: 'closed_in_window', detail: `line ${line}: the session was closed before the end of the window` }
  }
  if (span !== undefined && (lastReceivedS === undefined || lastReceivedS <= span.endS)) {
    yield { code: 'nothing_after_window', detail: 'nothing was received after the end of the window' }
  }
}

function* outputReasons(
  { playout, hasAudioBeforeInput, statedRates }: WindowRecord,
  span: Span | undefined,
  rateHz: number | undefined,
): Generator<Reason> {
  if (hasAudioBeforeInput) yield { code: 'audio_before_input', detail: 'reply audio arrived before the first packet' }
  if (rateHz === undefined) {
    const stated = statedRates.map((rate) => rate.rateHz).join(', ')
    const detail = stated === '' ? 'no output rate was stated' : `the output rate was stated as ${stated} Hz`
    yield { code: 'output_rate', detail }
  }
  const undecodable = playout.find((event) => event.kind === 'undecodable' && isInside(event.timeS, span))
  if (undecodable?.kind === 'undecodable') {
    yield { code: 'audio_undecodable', detail: `reply audio ${undecodable.problem}` }
  }
}

/** Late violations of a native session say nothing about its window, so it is not judged. */
function verdictOf({ recording, profile, admissionRetryLimit }: SessionWindowOptions): Verdict | undefined {
  if (profile.protocol === 'native') return undefined
  return judgeSession({ profile, lines: recording.lines, admissionRetryLimit })
}

function* verdictReasons(verdict: Verdict | undefined): Generator<Reason> {
  if (verdict === undefined || verdict.status === 'pass') return
  const [first] = verdict.violations
  const detail = first === undefined ? verdict.status : `${first.check}: ${first.message}`
  yield { code: 'protocol_verdict', detail: `the protocol verdict is ${verdict.status} (${detail})` }
}

/** Of audio that anybody records; a rate far outside is a fault, and a window at it would not fit into memory. */
const OUTPUT_RATE_HZ_MIN = 4_000
const OUTPUT_RATE_HZ_MAX = 384_000

/** What the server stated by the end of the window; the profile's where the protocol states none. Undefined without one rate. */
function outputRateHz({ statedRates }: WindowRecord, profile: Profile, span: Span | undefined): number | undefined {
  const [stated, ...others] = statedRates.filter(({ timeS }) => isInside(timeS, span))
  if (others.length > 0) return undefined
  if (stated !== undefined) {
    const { rateHz } = stated
    return Number.isInteger(rateHz) && rateHz >= OUTPUT_RATE_HZ_MIN && rateHz <= OUTPUT_RATE_HZ_MAX ? rateHz : undefined
  }
  const mustState = profile.protocol === 'native' || profile.protocol === 'turn-based'
  return mustState ? undefined : profile.output.sample_rate_hz
}
