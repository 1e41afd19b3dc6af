/**
 * Keeps the books of a run while it is recorded: `manifest.json` once, `run.json` as sessions end, and after the level
 * the verdict of every session in its own `report.json`. The layout is the field's (docs/formats.md, "Run directory").
 */
import { basename, join } from 'node:path'
import { writeFileWhole } from '../base/atomic-file.io.js'
import { jsonText } from '../base/json.js'
import { INPUT_FILE, MANIFEST_FILE, REPORT_FILE, RUN_FILE, TRACE_FILE, WAV_FILE } from '../capture/run-manifest.js'
import { clipDurationS, type InputClip } from '../dataset/input-clip.js'
import { encodeWav16 } from '../dataset/wav.js'
import type { SessionEnded } from '../load/sender-messages.js'
import type { SessionFacts } from '../metrics/session-facts.js'

export interface PlannedSession {
  readonly id: string
  readonly variant: string
  readonly subset: string
  /** Below the run's folder. */
  readonly directory: string
  readonly clip: InputClip
}

interface SessionState {
  status: string
  outcome: SessionEnded['outcome'] | undefined
  verdict: string | undefined
  errors: string[]
}

const WRITE_INTERVAL_MS = 1000

export class RunBooks {
  readonly #directory: string
  readonly #manifest: Readonly<Record<string, unknown>>
  readonly #sessions: readonly PlannedSession[]
  readonly #states = new Map<string, SessionState>()
  #status = 'preparing'
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(options: {
    directory: string
    manifest: Readonly<Record<string, unknown>>
    sessions: readonly PlannedSession[]
  }) {
    this.#directory = options.directory
    this.#manifest = options.manifest
    this.#sessions = options.sessions
    for (const session of options.sessions) {
      this.#states.set(session.directory, { status: 'pending', outcome: undefined, verdict: undefined, errors: [] })
    }
  }

  async begin(): Promise<void> {
    await writeFileWhole(join(this.#directory, MANIFEST_FILE), jsonText(this.#manifestFile()))
    this.#status = 'running'
    await this.#write()
  }

  /** A session has ended; whether it passed is not known before its trace has been judged. */
  sessionEnded({ directory, outcome }: SessionEnded): void {
    const state = this.#states.get(directory)
    if (state === undefined) return
    state.status = 'error'
    state.outcome = outcome
    if (outcome.kind !== 'completed') state.errors = [outcome.message]
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#writing.then(() => this.#write())
      // A failed write shows again, and for good, when the level ends.
      this.#writing.catch(() => undefined)
    }, WRITE_INTERVAL_MS)
  }

  /** All sessions have ended; their traces can be judged. */
  async recorded(): Promise<void> {
    for (const { directory, clip } of this.#sessions) {
      const folder = join(this.#directory, directory)
      const { recorded_source: source, ...books } = this.#sessionBooks(directory)
      const cases = [{ id: 'continuous', scenario: 'continuous', trace_file: TRACE_FILE }]
      await writeFileWhole(join(folder, MANIFEST_FILE), jsonText({ ...books, source, cases }))
      await writeFileWhole(join(folder, WAV_FILE), encodeWav16({ samples: clip.pcm, sampleRateHz: clip.sampleRateHz }))
      if (clip.annotation !== null) await writeFileWhole(join(folder, clip.annotation.file), clip.annotation.text)
    }
    await this.#settle('running')
  }

  /** The level was stopped before its last session. */
  async interrupted(): Promise<void> {
    await this.#settle('interrupted')
  }

  /** The level is over and its sessions have been judged. */
  async complete(sessions: readonly SessionFacts[]): Promise<void> {
    const byDirectory = new Map(sessions.map((facts) => [`samples/${facts.name}`, facts]))
    for (const [directory, state] of this.#states) {
      const facts = byDirectory.get(directory)
      if (facts === undefined) continue
      state.verdict = facts.protocolStatus
      state.status = facts.hasSucceeded ? 'pass' : facts.protocolStatus === 'not_exercised' ? 'not_exercised' : 'fail'
      state.errors = [...facts.reasons].slice(0, 20)
      const report = { ...this.#sessionBooks(directory), ...sessionReport(facts, state.outcome) }
      await writeFileWhole(join(this.#directory, directory, REPORT_FILE), jsonText(report))
    }
    await this.#settle('complete')
  }

  /** Ends all writing: after this the folder can be removed. */
  async abandon(): Promise<void> {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#writing.catch(() => undefined)
  }

  async #settle(status: string): Promise<void> {
    await this.abandon()
    this.#status = status
    await this.#write()
  }

  /** What a session's own manifest and report say of how it was recorded. */
  #sessionBooks(directory: string) {
    const session = this.#sessions.find((candidate) => candidate.directory === directory)
    const { profile, source, server, config } = this.#manifest
    const clip = session?.clip
    return {
      schema_version: 1,
      profile,
      recorded_source: source,
      server,
      config: {
        ...(config as object),
        paced: true,
        input_duration_s: clip === undefined ? null : clipDurationS(clip),
        dataset_sample: session?.id ?? null,
        dataset_variant: session?.variant ?? null,
      },
      input: {
        file: INPUT_FILE,
        sha256: clip?.pcmSha256 ?? null,
        sample_rate: clip?.sampleRateHz ?? null,
        window_samples: clip?.windowSamples ?? null,
      },
      annotation: clip === undefined ? null : annotationEntry(clip),
    }
  }

  #manifestFile() {
    return {
      ...this.#manifest,
      samples: this.#bySample().map(([first, ...rest]) => ({
        id: first.id,
        errors: [],
        variants: Object.fromEntries(
          [first, ...rest].map(({ variant, directory, clip }) => [
            variant,
            {
              directory,
              source: { file: clip.source.file, sha256: clip.source.sha256 },
              annotation: annotationEntry(clip),
            },
          ]),
        ),
      })),
    }
  }

  /** Sessions of one sample together: a sample may have several variants, each a session of its own. */
  #bySample(): [PlannedSession, ...PlannedSession[]][] {
    const samples = new Map<string, [PlannedSession, ...PlannedSession[]]>()
    for (const session of this.#sessions) {
      const own = samples.get(sampleDirectory(session))
      if (own === undefined) samples.set(sampleDirectory(session), [session])
      else own.push(session)
    }
    return [...samples.values()]
  }

  async #write(): Promise<void> {
    const counts: Record<string, number> = {}
    for (const { status } of this.#states.values()) counts[status] = (counts[status] ?? 0) + 1
    const config = this.#manifest.config as { load?: unknown } | undefined
    await writeFileWhole(
      join(this.#directory, RUN_FILE),
      jsonText({
        schema_version: 1,
        status: this.#status,
        summary: {
          samples_selected: this.#bySample().length,
          samples_invalid: 0,
          variants_selected: this.#sessions.length,
          variants: counts,
        },
        load: config?.load,
        samples: this.#bySample().map(([first, ...rest]) => ({
          id: first.id,
          item: first.clip.id,
          subset: first.subset,
          directory: sampleDirectory(first),
          sha256: sourceHashes([first, ...rest]),
          errors: [],
          variants: Object.fromEntries(
            [first, ...rest].map((session) => [session.variant, this.#variantEntry(session)]),
          ),
        })),
      }),
    )
  }

  #variantEntry({ directory, clip }: PlannedSession) {
    const state = this.#states.get(directory)
    return {
      directory,
      status: state?.status,
      protocol_verdict: state?.verdict ?? null,
      qualified: state?.status === 'pass',
      errors: state?.errors ?? [],
      outcome: state?.outcome ?? null,
      source: { file: clip.source.file, sha256: clip.source.sha256 },
      normalization: clip.normalization,
      input: { sha256: clip.pcmSha256, duration_s: clipDurationS(clip), window_samples: clip.windowSamples },
      annotation: annotationEntry(clip),
    }
  }
}

/** The annotation's file lies in the session's folder. */
function annotationEntry({ annotation }: InputClip): { file: string; sha256: string } | null {
  return annotation === null ? null : { file: annotation.file, sha256: annotation.sha256 }
}

/** Of all files of a sample that were used, by their names; built-in audio goes by the name of its variant. */
function sourceHashes(sessions: readonly PlannedSession[]): Record<string, string> {
  const hashes: Record<string, string> = {}
  for (const { variant, clip } of sessions) {
    const { file, sha256 } = clip.source
    hashes[file === null ? variant : basename(file)] = sha256
    if (clip.annotation !== null) hashes[clip.annotation.file] = clip.annotation.sha256
  }
  return hashes
}

function sampleDirectory({ directory }: PlannedSession): string {
  return directory.slice(0, directory.lastIndexOf('/'))
}

function sessionReport(facts: SessionFacts, outcome: SessionEnded['outcome'] | undefined) {
  const seconds = (us: number | undefined) => (us === undefined ? null : us / 1e6)
  return {
    outcome: outcome ?? null,
    cases: [
      {
        id: 'continuous',
        scenario: 'continuous',
        status: facts.hasSucceeded ? 'pass' : facts.protocolStatus === 'not_exercised' ? 'not_exercised' : 'fail',
        protocol_verdict: facts.protocolStatus,
        violations: facts.violations,
        notes: facts.notes,
        reasons: facts.reasons,
        denied: facts.isDenied,
        pacing_problems: facts.pacing.problems,
        metrics: {
          input_s: facts.inputUs / 1e6,
          sent_all_input: facts.hasSentAllInput,
          open_s: seconds(facts.openAtUs),
          close_s: seconds(facts.closeAtUs),
          t0_s: seconds(facts.t0Us),
          units_expected: facts.unitsExpected,
          unit_lag_s: Object.fromEntries(facts.units.map(({ unit, lagUs }) => [unit, seconds(lagUs)])),
          speak_units: facts.units.filter(({ isSpeak }) => isSpeak).map(({ unit }) => unit),
          replies: facts.replies.map((reply) => ({
            id: reply.id,
            first_audio_s: seconds(reply.firstAudioUs),
            buffer_needed_s: seconds(reply.bufferNeededUs),
            pauses_s: reply.pausesUs.map((us) => us / 1e6),
            rtf: reply.realTimeFactor ?? null,
            deltas: reply.deltas,
            cut: reply.isCut,
          })),
        },
      },
    ],
  }
}
