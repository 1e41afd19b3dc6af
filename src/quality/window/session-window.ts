/**
 * From one recorded session to its observation window, or to every reason why it has none. Pure.
 * Source: docs/metrics.md, "Observation window".
 */
import type { SessionRecording } from '../../capture/recording.js'
import { type Profile, samplesPerPacket } from '../../profile/profile.js'
import { judgeSession } from '../../protocol/judge.js'
import { type ObservationWindow, observationWindow, WINDOW_RATE_HZ } from './observation-window.js'
import { pacingReasons, packetReasons, receiptReasons } from './packet-reasons.js'
import { distinctReasons, type Reason, type ReasonCode } from './reasons.js'
import { readWindowRecord, type WindowRecord } from './window-record.js'

export interface SessionWindowOptions {
  readonly recording: SessionRecording
  readonly profile: Profile
  /** Length of the window at 16 kHz; undefined takes that of the input. */
  readonly windowSamples: number | undefined
  readonly admissionRetryLimit: number
  /** What the run's books say of the input and its source, and what was found of it. */
  readonly bookReasons: readonly Reason[]
}

export type SessionWindow =
  | { readonly ok: true; readonly window: ObservationWindow; readonly windowSamples: number }
  | { readonly ok: false; readonly reasons: readonly Reason[] }

export function sessionWindow(options: SessionWindowOptions): SessionWindow {
  const { recording, profile, bookReasons } = options
  const record = readWindowRecord(recording.lines, profile.protocol)
  const input = recording.inputPcm
  const hasInput = input !== undefined && input.byteLength > 0 && input.byteLength % 2 === 0
  const windowSamples =
    options.windowSamples ??
    (hasInput ? Math.floor((input.byteLength / 2) * (WINDOW_RATE_HZ / profile.input.sample_rate_hz)) : undefined)
  const startS = record.appends[0]?.timeS
  const reasons = distinctReasons([
    ...fileReasons(recording),
    ...lineReasons(record),
    ...(hasInput ? sendReasons(record, input, options) : []),
    ...(startS === undefined || windowSamples === undefined
      ? []
      : windowReasons(record, { startS, endS: startS + windowSamples / WINDOW_RATE_HZ, options })),
    ...verdictReasons(options),
    ...bookReasons,
  ])
  const rateHz = outputRateHz(record, profile)
  if (reasons.length > 0 || startS === undefined || windowSamples === undefined || rateHz === undefined) {
    return { ok: false, reasons }
  }
  const window = observationWindow({ playout: record.playout, startS, windowSamples, outputRateHz: rateHz })
  return { ok: true, window, windowSamples }
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
  if (/ is missing$/.test(problem)) return /receipts/.test(problem) ? 'receipts_missing' : 'file_missing'
  return /receipts/.test(problem) ? 'receipts_missing' : 'file_missing'
}

function* lineReasons({ lineProblems, hasBackwardClock }: WindowRecord): Generator<Reason> {
  for (const detail of lineProblems) yield { code: 'trace_unreadable', detail }
  if (hasBackwardClock) yield { code: 'clock_goes_back', detail: 'the time stamps of the trace go back' }
}

function* sendReasons(
  record: WindowRecord,
  inputPcm: Uint8Array,
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

/** Rules on the time between the first packet and the end of the window. */
function* windowReasons(
  record: WindowRecord,
  { startS, endS, options }: { startS: number; endS: number; options: SessionWindowOptions },
): Generator<Reason> {
  if (options.recording.receipts === undefined) {
    const late = record.appends.findIndex(({ timeS }) => timeS > endS)
    if (late >= 0) yield { code: 'append_after_window', detail: `packet ${late} was sent after the window` }
  }
  for (const { kind, timeS, text } of record.incidents) {
    if (timeS > endS) continue
    if (kind === 'error') yield { code: 'error_in_window', detail: text }
    else yield { code: 'closed_in_window', detail: 'the session was closed before the end of the window' }
  }
  if (record.playout.some(({ kind, timeS }) => kind !== 'cut' && timeS < startS)) {
    yield { code: 'audio_before_input', detail: 'reply audio arrived before the first packet' }
  }
  if (outputRateHz(record, options.profile) === undefined) {
    const stated = record.statedRatesHz.join(', ')
    yield { code: 'output_rate', detail: stated === '' ? 'no output rate was stated' : `output rates of ${stated} Hz` }
  }
  const undecodable = record.playout.find((event) => event.kind === 'undecodable' && event.timeS <= endS)
  if (undecodable?.kind === 'undecodable') {
    yield { code: 'audio_undecodable', detail: `reply audio ${undecodable.problem}` }
  }
  if (record.lastReceivedS === undefined || record.lastReceivedS <= endS) {
    yield { code: 'nothing_after_window', detail: 'nothing was received after the end of the window' }
  }
}

/** Late violations of a native session say nothing about its window. */
function* verdictReasons(options: SessionWindowOptions): Generator<Reason> {
  const { recording, profile, admissionRetryLimit } = options
  if (profile.protocol === 'native') return
  const verdict = judgeSession({ profile, lines: recording.lines, admissionRetryLimit })
  if (verdict.status === 'pass') return
  const [first] = verdict.violations
  const detail = first === undefined ? verdict.status : `${first.check}: ${first.message}`
  yield { code: 'protocol_verdict', detail: `the protocol verdict is ${verdict.status} (${detail})` }
}

/** What the server stated; the profile's where the protocol states none. Undefined where there is no one rate. */
function outputRateHz({ statedRatesHz }: WindowRecord, profile: Profile): number | undefined {
  if (statedRatesHz.length > 1) return undefined
  const [stated] = statedRatesHz
  if (stated !== undefined) return Number.isSafeInteger(stated) && stated > 0 ? stated : undefined
  const mustState = profile.protocol === 'native' || profile.protocol === 'turn-based'
  return mustState ? undefined : profile.output.sample_rate_hz
}
