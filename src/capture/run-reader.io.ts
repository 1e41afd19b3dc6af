/**
 * Reads recorded runs, ours or another recorder's: the field's layout (`manifest.json`, `run.json`, `samples/…`) and the
 * plain one (`manifest.json`, `sessions/<name>/`). What a session lacks becomes a reason why it failed; only a folder
 * that is no run at all is an error.
 */
import { isAscii } from 'node:buffer'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { UserError } from '../base/errors.js'
import { parseReceipts, type SendReceipts } from './receipts.js'
import type { SessionRecording } from './recording.js'
import {
  evaluationSchema,
  INPUT_FILE,
  loadConfigSchema,
  MANIFEST_FILE,
  MONITOR_FILE,
  RECEIPTS_FILE,
  RUN_FILE,
  type RunBooks,
  type RunManifest,
  runBooksSchema,
  runManifestSchema,
  TRACE_FILE,
} from './run-manifest.js'
import { type SampleName, sampleNameOf } from './sample-name.js'
import { parseSelfMonitoring, type SelfMonitoring } from './self-monitoring.js'
import { parseTrace, type TraceLine } from './trace-record.js'

export interface SessionEntry {
  /** Unique in the run: `one` in the plain layout, `speech/slt-01/input` in the field's. */
  readonly name: string
  readonly directory: string
  /** From the run's books, where they say it. */
  readonly declaredInputS: number | undefined
  /** What it sent; absent where the run keeps no books. */
  readonly sample?: SampleName & { readonly variant: string }
  /** Why the session cannot be read at all; it stays in every denominator. */
  readonly problem?: string
}

export interface RecordedRun {
  readonly directory: string
  readonly name: string
  readonly layout: 'field' | 'plain'
  /** As it stands on disk, with whatever else its recorder wrote. */
  readonly manifest: RunManifest
  readonly profileName: string
  readonly profileDefinition: Readonly<Record<string, unknown>> | undefined
  readonly concurrency: number | undefined
  readonly repeat: number
  readonly role: 'level' | 'warmup'
  readonly policy: string | undefined
  /** Where in the packet interval the sessions' packets went out. */
  readonly phases: string | undefined
  /** Processes that sent. */
  readonly senders: number | undefined
  /** What the load generator's host was found to drive with so many senders; undefined where it is not known. */
  readonly calibratedSessions: number | undefined
  readonly admissionRetryLimit: number | undefined
  /** The recorder says that it kept send receipts, so a session without them lacks something. */
  readonly areReceiptsRequired: boolean
  readonly reserveS: number | undefined
  readonly targets:
    | { readonly unit_miss_rate_max?: number | undefined; readonly rtf_p90_below?: number | undefined }
    | undefined
  /** The gate that the sweep was run under, unchecked; absent where there was none. */
  readonly gate: unknown
  /** How the sweep scored quality, unchecked; absent where it did not. */
  readonly quality: unknown
  /** Seed of the sweep, for what is drawn in comparisons of its levels. */
  readonly seed: number
  /** False when the recorder was stopped before its last session: such a level was not measured. */
  readonly isComplete: boolean
  /** Stopped by its user; such a level is recorded again when the sweep is resumed. */
  readonly isInterrupted: boolean
  /** In the order of the run's books. */
  readonly sessions: readonly SessionEntry[]
  /** Dataset items that could not be used, so no session was attempted. */
  readonly invalidItems: number
  readonly monitoring: SelfMonitoring | undefined
}

/**
 * Reads a run's books.
 * @throws UserError FILE_UNREADABLE when there is no such folder, RUN_UNREADABLE when it is no run, or its manifest cannot be understood
 */
export async function readRun(directory: string): Promise<RecordedRun> {
  if (!existsSync(directory)) {
    throw new UserError({ code: 'FILE_UNREADABLE', message: `${directory} does not exist`, fix: 'correct the path' })
  }
  const manifest = await readManifest(directory)
  const books = await readBooks(directory)
  const load = loadConfigOf(manifest, books)
  const evaluation = evaluationSchema.safeParse(manifest.config?.evaluation).data
  const common = {
    directory,
    name: basename(resolve(directory)),
    manifest,
    profileName: manifest.profile,
    profileDefinition: manifest.profile_definition,
    concurrency: load?.concurrency ?? manifest.concurrency ?? concurrencyInName(directory),
    repeat: load?.repeat ?? 1,
    role: load?.role ?? ('level' as const),
    policy: load?.policy,
    phases: load?.phases,
    senders: load?.senders,
    calibratedSessions: load?.calibrated_sessions ?? undefined,
    admissionRetryLimit: manifest.config?.transport?.admission_retries,
    areReceiptsRequired: manifest.config?.transport?.input_send_receipts === true,
    reserveS: evaluation?.playback_reserve_s,
    targets: evaluation?.targets,
    gate: evaluation?.gate ?? undefined,
    quality: evaluation?.quality ?? undefined,
    seed: evaluation?.seed ?? 0,
    monitoring: await readMonitoring(directory),
  }
  if (books === undefined) {
    const names = await subdirectories(join(directory, 'sessions'))
    if (names === undefined) {
      throw runError(directory, `has neither ${RUN_FILE} nor a folder sessions/: it is no recorded run`)
    }
    const sessions = names.map((name) => ({
      name,
      directory: join(directory, 'sessions', name),
      declaredInputS: undefined,
    }))
    return { ...common, layout: 'plain', isComplete: true, isInterrupted: false, sessions, invalidItems: 0 }
  }
  return { ...common, layout: 'field', ...sessionsOf(directory, books) }
}

export interface ReadSessionOptions {
  readonly inputRateHz: number
  readonly areReceiptsRequired?: boolean
  /** Fed with the session's name and the hashes of its files. */
  readonly digest?: { update(text: string): unknown }
}

/** Reads one session's files. Never throws on what they hold: what is wrong with them is in `fileProblems`. */
export async function readSession(entry: SessionEntry, options: ReadSessionOptions): Promise<SessionRecording> {
  const { inputRateHz, digest } = options
  if (entry.problem !== undefined) return unreadableSession(entry, inputRateHz)
  const problems: string[] = []
  const [trace, receiptsText, input] = [TRACE_FILE, RECEIPTS_FILE, INPUT_FILE].map((name) =>
    bytesOf(join(entry.directory, name)),
  )
  digest?.update(entry.name)
  for (const bytes of [trace, receiptsText, input]) digest?.update(sha256(bytes ?? Buffer.alloc(0)))
  if (trace === undefined) problems.push(`${TRACE_FILE} is missing`)
  if (receiptsText === undefined && options.areReceiptsRequired === true) problems.push(`${RECEIPTS_FILE} is missing`)
  if (input === undefined) problems.push(`${INPUT_FILE} is missing`)
  else if (input.byteLength === 0) problems.push(`${INPUT_FILE} is empty`)
  else if (input.byteLength % 2 !== 0) problems.push(`${INPUT_FILE} has an odd number of bytes (${input.byteLength})`)
  const lines = trace === undefined ? [] : decodeTrace(trace)
  return {
    name: entry.name,
    lines,
    receipts: receiptsOf(receiptsText, problems),
    inputPcm: input,
    declaredInputSamples: declaredSamples(entry, inputRateHz),
    fileProblems: problems,
  }
}

function unreadableSession(entry: SessionEntry, inputRateHz: number): SessionRecording {
  return {
    name: entry.name,
    lines: [],
    receipts: undefined,
    inputPcm: undefined,
    declaredInputSamples: declaredSamples(entry, inputRateHz),
    fileProblems: [entry.problem ?? ''],
  }
}

function declaredSamples({ declaredInputS }: SessionEntry, inputRateHz: number): number | undefined {
  return declaredInputS === undefined ? undefined : Math.round(declaredInputS * inputRateHz)
}

function decodeTrace(bytes: Uint8Array): TraceLine[] {
  // Nearly every trace is ASCII, whose bytes are its text; decoding it as such is several times faster.
  return parseTrace(
    isAscii(bytes)
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
      : new TextDecoder('utf-8').decode(bytes),
  )
}

function receiptsOf(bytes: Uint8Array | undefined, problems: string[]): SendReceipts | undefined {
  if (bytes === undefined) return undefined
  const parsed = parseReceipts(new TextDecoder('utf-8').decode(bytes))
  if (!('problem' in parsed)) return parsed
  problems.push(`${RECEIPTS_FILE} ${parsed.problem}`)
  return undefined
}

async function readManifest(directory: string): Promise<RunManifest> {
  const text = await readIfThere(join(directory, MANIFEST_FILE))
  if (text === undefined) throw runError(directory, `has no ${MANIFEST_FILE}: it is no recorded run`)
  const parsed = runManifestSchema.safeParse(jsonOf(text))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw runError(directory, `${MANIFEST_FILE}: ${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'malformed'}`)
  }
  return parsed.data
}

/** What a run says became of its samples; undefined where it keeps no such books. */
export async function readBooks(directory: string): Promise<RunBooks | undefined> {
  const text = await readIfThere(join(directory, RUN_FILE))
  if (text === undefined) return undefined
  const parsed = runBooksSchema.safeParse(jsonOf(text))
  if (parsed.success) return parsed.data
  throw runError(directory, `${RUN_FILE}: ${parsed.error.issues[0]?.message ?? 'malformed'}`)
}

async function readMonitoring(directory: string): Promise<SelfMonitoring | undefined> {
  const text = await readIfThere(join(directory, MONITOR_FILE))
  return text === undefined ? undefined : parseSelfMonitoring(jsonOf(text))
}

function loadConfigOf(manifest: RunManifest, books: RunBooks | undefined) {
  for (const candidate of [books?.load, manifest.config?.load]) {
    const parsed = loadConfigSchema.safeParse(candidate)
    if (parsed.success) return parsed.data
  }
  return undefined
}

function sessionsOf(directory: string, books: RunBooks) {
  const root = resolve(directory)
  const sessions: SessionEntry[] = []
  let invalidItems = 0
  let pending = 0
  for (const sample of books.samples) {
    for (const [variant, state] of Object.entries(sample.variants ?? {})) {
      if (state.status === 'invalid') invalidItems += 1
      else if (state.status === 'pending') pending += 1
      if (state.status === 'invalid' || state.status === 'pending') continue
      const relativePath = state.directory ?? join(sample.directory ?? join('samples', sample.id ?? ''), variant)
      const path = resolve(root, relativePath)
      const name = sessionName(root, path)
      if (sessions.some((session) => session.name === name)) {
        throw runError(directory, `names the session ${name} twice in ${RUN_FILE}`)
      }
      // A run's books must not lead outside the run.
      const isOutside = path !== root && !path.startsWith(root + sep)
      sessions.push({
        name,
        directory: path,
        declaredInputS: state.input?.duration_s,
        sample: { ...sampleNameOf(sample), variant },
        ...(isOutside ? { problem: `its folder ${relativePath} lies outside the run` } : {}),
      })
    }
  }
  // A run whose books were not closed is whole all the same when every session in them has ended.
  const isComplete = pending === 0 && books.status !== 'preparing' && books.status !== 'interrupted'
  return { sessions, invalidItems, isComplete, isInterrupted: books.status === 'interrupted' }
}

function sessionName(root: string, path: string): string {
  const parts = relative(root, path).split(sep).join('/')
  return parts.replace(/^samples\//, '')
}

function concurrencyInName(directory: string): number | undefined {
  const match = /(?:^|[-_])(?:concurrency-|c)(\d+)(?:-r\d+)?$/.exec(basename(resolve(directory)))
  return match?.[1] === undefined ? undefined : Number(match[1])
}

async function subdirectories(directory: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort()
  } catch {
    return undefined
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch {
    return undefined
  }
}

/** At once: what waits for the bytes has nothing else to do, and would wait longer for a thread of the pool. */
function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8').decode(bytes))
  } catch {
    return undefined
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function runError(directory: string, problem: string): UserError {
  return new UserError({
    code: 'RUN_UNREADABLE',
    message: `${directory} ${problem}`,
    fix: 'give the folder of one level, which holds manifest.json',
  })
}
