/** What a level is made of: its sessions, the plan for its senders, and the manifest of its run. Pure. */
import { redactUrl } from '../base/redact.js'
import type { DatasetBooks } from '../dataset/dataset-books.js'
import { FDB_VERSIONS } from '../dataset/fdb-versions.js'
import { clipDurationS, type InputClip } from '../dataset/input-clip.js'
import type { LevelPlan } from '../load/level-plan.js'
import { MAX_MESSAGE_BYTES } from '../load/transport.js'
import { transportFor } from '../load/transport-choice.js'
import { PACING_TOLERANCE_US } from '../metrics/pacing.js'
import { PACKET_MS, type Profile } from '../profile/profile.js'
import { phasesOf, type SweepConfig } from '../profile/sweep-file.js'
import { deriveSeed } from '../stats/random.js'
import type { PlannedLevel } from './level-order.js'
import type { ServerAddress } from './reach.io.js'
import type { PlannedSession } from './run-books.io.js'

export interface LevelOrder {
  readonly config: SweepConfig
  readonly profile: Profile
  readonly level: PlannedLevel
  readonly role: 'level' | 'warmup'
  readonly sessions: readonly PlannedSession[]
  /** What was chosen from which dataset; null where the inputs come from none. */
  readonly dataset?: DatasetBooks | null
  readonly directory: string
  readonly server: ServerAddress
  readonly version: string
  /** Processes that send. */
  readonly senders: number
  /** What this host was calibrated to drive with so many; null where it is not known. */
  readonly calibratedSessions?: number | null
}

/** Between admission and the first packet: enough to fix the schedule before the first send. */
const LEAD_MS = 10
/** Listening time after `session.closed`. */
const POST_CLOSE_MS = 200
const SESSION_TIMEOUT_S = 90

/**
 * Inputs in their order, again from the first when they run out. A repeated input gets a folder of its own, `ID.2`, `ID.3`, …;
 * numbers that an input bears in its own name (`7.2`) are passed over.
 */
export function plannedSessions(inputs: readonly InputClip[], count: number): PlannedSession[] {
  const own = new Set(inputs.map(({ subset, id }) => `${subset}/${id}`))
  const suffixes = new Map<InputClip, number>()
  return Array.from({ length: count }, (_, index) => {
    const clip = inputs[index % inputs.length] as InputClip
    const { subset, variant } = clip
    let id = clip.id
    if (index >= inputs.length) {
      let suffix = (suffixes.get(clip) ?? 1) + 1
      while (own.has(`${subset}/${clip.id}.${suffix}`)) suffix += 1
      suffixes.set(clip, suffix)
      id = `${clip.id}.${suffix}`
    }
    return { id, subset, variant, clip, directory: `samples/${subset}/${id}/${variant}` }
  })
}

export function levelPlan(order: LevelOrder & { readonly inputFile: (clip: InputClip) => string }): LevelPlan {
  const { config, profile, level, sessions, directory, server } = order
  const clips = [...new Set(sessions.map(({ clip }) => clip))]
  const indexOf = new Map(clips.map((clip, index) => [clip, index]))
  return {
    runDirectory: directory,
    transport: config.transport,
    url: server.url,
    headers: { ...server.headers },
    profile: { ...profile },
    concurrency: level.concurrency,
    senders: order.senders,
    ...startOf(order),
    startSeed: startSeed(config, level),
    leadMs: LEAD_MS,
    admission: { retries: config.admission.retries, backoffMs: config.admission.backoff_ms },
    deadlines: { admissionS: config.deadlines.admission_s, sessionS: sessionTimeoutS(config, clips) },
    postCloseMs: POST_CLOSE_MS,
    inputs: clips.map((clip) => ({
      file: order.inputFile(clip),
      sha256: clip.pcmSha256,
      samples: clip.pcm.length,
    })),
    sessions: sessions.map(({ directory: folder, clip }) => ({
      directory: folder,
      inputIndex: indexOf.get(clip) ?? 0,
    })),
  }
}

export function runManifest(order: LevelOrder): Record<string, unknown> {
  const { config, profile, level, role, sessions, dataset = null, server, version } = order
  const variants = [...new Set(sessions.map(({ variant }) => variant))]
  return {
    schema_version: 1,
    kind: dataset === null ? 'floorload-run' : FDB_VERSIONS[dataset.kind].runKind,
    profile: profile.name,
    profile_definition: profile,
    trace_format: profile.trace_format,
    source: { tool: 'floorload', version, node: process.version, clock: 'monotonic' },
    server: { url: redactUrl(server.url), header_names: Object.keys(server.headers), model: profile.model ?? null },
    dataset: { inputs: config.inputs, ...(dataset === null ? {} : datasetEntry(dataset)) },
    config: {
      scenario: 'continuous',
      variants,
      timeout_s: sessionTimeoutS(
        config,
        sessions.map(({ clip }) => clip),
      ),
      packet_ms: PACKET_MS,
      pacing_tolerance_s: PACING_TOLERANCE_US / 1e6,
      late_packets: 'sent at once; the schedule does not move',
      transport: {
        client: transportFor({ choice: config.transport, url: server.url, env: process.env }),
        max_message_bytes: MAX_MESSAGE_BYTES,
        compression: false,
        keepalive_ping: false,
        post_close_s: POST_CLOSE_MS / 1000,
        admission_retries: config.admission.retries,
        admission_backoff_s: config.admission.backoff_ms / 1000,
        input_end: 'max(start + T, last send start + last packet length)',
        input_send_receipts: true,
      },
      response_cancel: 'never sent',
      session: profile.session,
      ...protocolConfig(profile),
      load: {
        concurrency: level.concurrency,
        repeat: level.repeat,
        role,
        ...startOf(order),
        senders: order.senders,
        calibrated_sessions: order.calibratedSessions ?? null,
        sessions: sessions.length,
        seed: config.seed,
        start_seed: startSeed(config, level),
        lead_ms: LEAD_MS,
      },
      evaluation: {
        playback_reserve_s: config.playback_reserve_ms / 1000,
        targets: { ...profile.targets, ...withoutUndefined(config.targets) },
        gate: config.gate ?? null,
        quality: config.quality ?? null,
        seed: config.seed,
      },
    },
  }
}

/** A warm-up is one session after another, whatever the levels are. */
function startOf({ config, role }: LevelOrder) {
  return { policy: role === 'warmup' ? ('pool' as const) : config.start, phases: phasesOf(config) }
}

function datasetEntry({ root, inventory, selection }: DatasetBooks): Record<string, unknown> {
  // A download bears no version of its own; the hashes of its files stand with the samples.
  return { root, revision: null, inventory, selection }
}

/** What the field's recorder writes of the protocols that are driven by a turn detector. */
function protocolConfig(profile: Profile): Record<string, unknown> {
  const detection = (session: unknown) => (session as { turn_detection?: unknown } | undefined)?.turn_detection ?? null
  const audio = profile.session.audio as { input?: unknown } | undefined
  if (profile.protocol === 'turn-based') return { turn_based: detection(audio?.input) }
  if (profile.protocol !== 'legacy-half-duplex') return {}
  const turnDetection = detection(profile.session)
  const isInterruptible = (turnDetection as { interrupt_response?: unknown } | null)?.interrupt_response !== false
  return {
    legacy: {
      turn_detection: turnDetection,
      tail_s: profile.end_wait_ms / 1000,
      barge_in_cut: isInterruptible ? 'output_audio_buffer.cleared or speech_started' : 'output_audio_buffer.cleared',
      session_end: 'empty session.update answered',
    },
  }
}

function startSeed(config: SweepConfig, level: PlannedLevel): string {
  return deriveSeed(config.seed, `starts-${level.concurrency}-r${level.repeat}`)
}

function sessionTimeoutS(config: SweepConfig, clips: readonly InputClip[]): number {
  const longestS = clips.reduce((longest, clip) => Math.max(longest, clipDurationS(clip)), 0)
  return config.deadlines.session_s ?? Math.max(SESSION_TIMEOUT_S, longestS + 60)
}

function withoutUndefined(record: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(Object.entries(record).filter((entry): entry is [string, number] => entry[1] !== undefined))
}
