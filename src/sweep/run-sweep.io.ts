/**
 * The sweep: every level and repeat in fresh sender processes, judged when they have ended, so that a crash or an
 * interrupt loses no finished level. Results are rewritten after each one.
 */
import { join } from 'node:path'
import { writeFileWhole } from '../base/atomic-file.io.js'
import { UserError } from '../base/errors.js'
import { jsonText } from '../base/json.js'
import { redactUrl } from '../base/redact.js'
import { wallIso } from '../base/system-clock.io.js'
import { toolVersion } from '../base/version.io.js'
import { levelDirectoryName } from '../capture/run-manifest.js'
import type { DatasetBooks } from '../dataset/dataset-books.js'
import { clipDurationS, type InputClip } from '../dataset/input-clip.js'
import { coreCount } from '../load/cores.io.js'
import { senderCount } from '../load/deal-sessions.js'
import type { LevelProgress } from '../load/sender-messages.js'
import type { Profile } from '../profile/profile.js'
import { decidingMargins } from '../profile/quality-settings.js'
import type { SweepConfig } from '../profile/sweep-file.js'
import { type AnalysedRun, analyseRun } from './analyse-run.io.js'
import { type Calibration, calibratedSessions } from './calibration/calibration.js'
import { describeHost } from './host.io.js'
import { annotationFileOf, inputFileOf, storeInputs } from './inputs.io.js'
import { runLevelProcess } from './level-client.io.js'
import { type PlannedLevel, plannedLevels } from './level-order.js'
import { levelPlan, plannedSessions, runManifest } from './level-orders.js'
import type { LevelScorer } from './level-scorer.io.js'
import { createFolder, ensureRoom, isLevelComplete, removeFolder } from './output-folder.io.js'
import { bytesToWrite } from './preflight/bytes-to-write.js'
import { findingText, preflight } from './preflight/preflight.io.js'
import type { PreflightFinding } from './preflight/preflight-checks.js'
import type { ScoredCapture } from './quality-result.js'
import type { ServerAddress } from './reach.io.js'
import { RunBooks } from './run-books.io.js'
import type { ServerScraper } from './server-metrics/scraper.io.js'
import { type ServingResult, servingResult } from './serving-result.js'
import { inputEntry, SWEEP_MANIFEST_FILE, SWEEP_RUN_SCHEMA_NAME, type SweepManifest } from './sweep-manifest.js'

export interface SweepEvents {
  levelBegins?(level: PlannedLevel, role: 'level' | 'warmup'): void
  progress?(level: PlannedLevel, progress: LevelProgress): void
  levelEnds?(level: PlannedLevel, analysed: AnalysedRun): void
  /** The level has ended, and its captured audio is being scored. */
  scoringBegins?(run: string): void
  /** The stop rule ended the sweep before its last level. */
  stopped?(level: PlannedLevel, reason: string): void
  note?(text: string): void
  /** Something about the host to know of before it begins; stored as well. */
  advice?(text: string): void
}

export interface SweepOptions {
  readonly config: SweepConfig
  readonly profile: Profile
  readonly inputs: readonly InputClip[]
  /** The dataset that they were chosen from; recorded. */
  readonly dataset?: DatasetBooks | null
  readonly server: ServerAddress
  /** What the server said of itself before the sweep; recorded. */
  readonly capabilities?: unknown
  readonly output: string
  /** Levels that an earlier, interrupted sweep in the same folder has finished are kept. */
  readonly isResumed: boolean
  /** What this host is known to drive with this transport. */
  readonly calibration?: Calibration | null
  /** Limits of the host that it cannot work with become warnings. */
  readonly isPreflightOverridden?: boolean
  readonly signal: AbortSignal
  readonly events: SweepEvents
  /** Scores every level once it is recorded; with `config.quality`. */
  readonly scorer?: LevelScorer | undefined
  /** Reads the server's own metrics while a level runs. */
  readonly scraper?: ServerScraper | undefined
  /** Files that are rendered from the result, by name; rewritten whenever the result grows. */
  readonly render: (result: ServingResult, runs: readonly AnalysedRun[]) => Readonly<Record<string, string>>
}

export interface SweepEnd {
  readonly result: ServingResult
  readonly runs: readonly AnalysedRun[]
  readonly wasInterrupted: boolean
  readonly files: readonly string[]
}

export const RESULT_FILE = 'serving.json'
/** Windows and scores of the levels, a tree for each. */
export const QUALITY_FOLDER = 'quality'

/**
 * Runs the sweep in a folder that is its own.
 * @throws UserError when the disk or the server's address will not do; levels finished before it are on disk
 */
export async function runSweep(options: SweepOptions): Promise<SweepEnd> {
  return new Sweep(options).run()
}

class Sweep {
  readonly #options: SweepOptions
  readonly #levels: readonly PlannedLevel[]
  readonly #runs: AnalysedRun[] = []
  readonly #scores = new Map<string, ScoredCapture>()
  readonly #scoringFailures = new Map<string, string>()
  #files: string[] = []

  constructor(options: SweepOptions) {
    this.#options = options
    this.#levels = plannedLevels(options.config, options.inputs.length)
  }

  async run(): Promise<SweepEnd> {
    const { config, output, inputs, isResumed, signal } = this.#options
    const unfinished = await this.#unfinishedLevels()
    const warnings = await this.#preflight(unfinished)
    await createFolder(output)
    if (!isResumed) {
      await writeFileWhole(join(output, SWEEP_MANIFEST_FILE), jsonText(this.#manifest(warnings)))
      await storeInputs(output, inputs)
    }
    let wasInterrupted = false
    if (config.warm_up_sessions > 0 && !(await this.#isEverythingDone())) {
      wasInterrupted = await this.#warmUp(config.warm_up_sessions)
    }
    let highestAllowed = Number.POSITIVE_INFINITY
    for (const level of this.#levels) {
      if (wasInterrupted || signal.aborted) break
      if (level.concurrency >= highestAllowed) continue
      const analysed = await this.#runLevel(level)
      if (analysed === undefined) {
        wasInterrupted = true
        break
      }
      this.#runs.push(analysed)
      await this.#writeResult()
      this.#options.events.levelEnds?.(level, analysed)
      await this.#score(analysed)
      const reason = stopReason(analysed, config)
      if (reason !== undefined && level.concurrency < highestAllowed) {
        highestAllowed = level.concurrency
        this.#options.events.stopped?.(level, reason)
      }
    }
    const result = await this.#writeResult()
    return { result, runs: this.#runs, wasInterrupted: wasInterrupted || signal.aborted, files: this.#files }
  }

  /** Runs a level, or takes the finished one of an earlier sweep; undefined when it was interrupted. */
  async #runLevel(level: PlannedLevel): Promise<AnalysedRun | undefined> {
    const directory = this.#directoryOf(level)
    if (this.#options.isResumed) {
      if (await isLevelComplete(directory)) return analyseRun(directory)
      await removeFolder(directory)
    }
    this.#options.events.levelBegins?.(level, 'level')
    return this.#record(level, directory, 'level')
  }

  async #warmUp(sessions: number): Promise<boolean> {
    const directory = join(this.#options.output, 'warmup')
    await removeFolder(directory)
    const level: PlannedLevel = { concurrency: 1, repeat: 1, sessions }
    this.#options.events.levelBegins?.(level, 'warmup')
    const analysed = await this.#record(level, directory, 'warmup')
    const failed = analysed?.sessions.find(({ hasSucceeded }) => !hasSucceeded)
    if (failed !== undefined) this.#options.events.note?.(`the warm-up session failed: ${failed.reasons[0]}`)
    return analysed === undefined
  }

  async #record(level: PlannedLevel, directory: string, role: 'level' | 'warmup'): Promise<AnalysedRun | undefined> {
    const { config, profile, inputs, dataset = null, server, output, signal, events } = this.#options
    const sessions = plannedSessions(inputs, level.sessions)
    const senders = senderCount(config.senders, level.concurrency, coreCount())
    const { calibration = null } = this.#options
    const order = {
      ...{ config, profile, level, role, sessions, dataset, directory, server, version: toolVersion() },
      senders,
      calibratedSessions: calibration === null ? null : calibratedSessions(calibration, senders),
    }
    const books = new RunBooks({ directory, manifest: runManifest(order), sessions })
    await books.begin()
    const scraper = role === 'level' ? this.#options.scraper : undefined
    try {
      await scraper?.begin(directory)
      const { wasInterrupted, losses } = await runLevelProcess({
        plan: levelPlan({ ...order, inputFile: (clip) => inputFileOf(output, clip) }),
        signal,
        onProgress: (progress) => events.progress?.(level, progress),
        onSession: (session) => books.sessionEnded(session),
      })
      await scraper?.end()
      for (const loss of losses) events.note?.(loss)
      if (wasInterrupted) {
        await books.interrupted()
        return undefined
      }
      await books.recorded()
      const analysed = await analyseRun(directory)
      await books.complete(analysed.sessions)
      return analysed
    } catch (thrown) {
      // A level that could not be stored is no level: nothing half-written stays.
      await scraper?.end()
      await books.abandon()
      await removeFolder(directory)
      throw thrown
    }
  }

  /** The level counts without its scores: what cannot be scored is said, and the sweep goes on. */
  async #score({ run }: AnalysedRun): Promise<void> {
    const { scorer, output, signal, events } = this.#options
    if (scorer === undefined || signal.aborted) return
    events.scoringBegins?.(run.name)
    try {
      const tree = join(output, QUALITY_FOLDER, run.name)
      this.#scores.set(run.directory, await scorer.score({ run: run.directory, tree, signal }))
      await this.#writeResult()
    } catch (thrown) {
      if (signal.aborted) return
      if (!(thrown instanceof UserError)) throw thrown
      this.#scoringFailures.set(run.directory, thrown.message)
      events.note?.(`${run.name}: its quality was not scored: ${thrown.message}`)
    }
  }

  async #writeResult(): Promise<ServingResult> {
    const { config, output, render } = this.#options
    const { quality, seed, gate } = config
    const result = servingResult({
      runs: this.#runs,
      toolVersion: toolVersion(),
      gate,
      quality:
        quality === undefined
          ? undefined
          : { scores: this.#scores, failures: this.#scoringFailures, margins: decidingMargins(quality), seed },
    })
    const files = { [RESULT_FILE]: jsonText(result), ...render(result, this.#runs) }
    for (const [name, text] of Object.entries(files)) await writeFileWhole(join(output, name), text)
    this.#files = Object.keys(files).map((name) => join(output, name))
    return result
  }

  #directoryOf({ concurrency, repeat }: PlannedLevel): string {
    return join(this.#options.output, levelDirectoryName(concurrency, repeat, this.#options.config.repeats))
  }

  async #isEverythingDone(): Promise<boolean> {
    return (await this.#unfinishedLevels()).length === 0
  }

  #manifest(preflightWarnings: readonly PreflightFinding[]): SweepManifest {
    const { config, profile, inputs, dataset, server, capabilities } = this.#options
    return {
      schema: SWEEP_RUN_SCHEMA_NAME,
      tool_version: toolVersion(),
      config: { ...config },
      profile: { ...profile },
      server: {
        url: redactUrl(server.url),
        header_names: Object.keys(server.headers),
        capabilities: capabilities ?? null,
      },
      dataset: dataset ?? null,
      inputs: inputs.map((clip) =>
        inputEntry(clip, { pcm: inputFileOf('.', clip), annotation: annotationFileOf('.', clip) }),
      ),
      levels: this.#levels.map((level) => ({
        ...level,
        run: levelDirectoryName(level.concurrency, level.repeat, config.repeats),
      })),
      host: describeHost(),
      preflight: [...preflightWarnings],
      started_at: wallIso(),
    }
  }

  /** @returns its warnings, which have been said */
  async #preflight(levels: readonly PlannedLevel[]): Promise<readonly PreflightFinding[]> {
    const { config, profile, inputs, output, scorer, isPreflightOverridden, events } = this.#options
    const sessions = levels.map((level) => level.sessions)
    await ensureRoom(output, bytesToWrite({ inputs, profile, sessions, isScored: scorer !== undefined }))
    if (levels.length === 0) return []
    const concurrency = Math.max(...levels.map((level) => level.concurrency))
    const load = {
      concurrency,
      senders: senderCount(config.senders, concurrency, coreCount()),
      sessions: Math.max(...sessions),
      sessionS: inputs.reduce((sum, clip) => sum + clipDurationS(clip), 0) / Math.max(1, inputs.length),
    }
    const warnings = await preflight(load, { isOverridden: isPreflightOverridden === true })
    for (const warning of warnings) events.advice?.(findingText(warning))
    return warnings
  }

  async #unfinishedLevels(): Promise<PlannedLevel[]> {
    if (!this.#options.isResumed) return [...this.#levels]
    const states = await Promise.all(this.#levels.map((level) => isLevelComplete(this.#directoryOf(level))))
    return this.#levels.filter((_, index) => states[index] !== true)
  }
}

/** A level so bad that a higher one is not worth the drive (sweep file, `stop`). */
function stopReason({ row, targets }: AnalysedRun, config: SweepConfig): string | undefined {
  const limit = config.stop?.unit_miss_rate_at_least
  if (limit === undefined) return undefined
  if (row.sessions_succeeded === 0 && row.sessions_attempted > 0) return 'no session succeeded'
  if (row.unit_miss_rate !== null && row.unit_miss_rate >= limit) {
    return `${(100 * row.unit_miss_rate).toFixed(1)}% of units were missed`
  }
  // Turn-based servers have no units: the same share beyond their own target.
  if (row.rtf !== null && row.rtf.p90 >= targets.rtf_p90_below * (1 + limit)) {
    return `RTF p90 is ${row.rtf.p90.toFixed(2)}`
  }
  return undefined
}
