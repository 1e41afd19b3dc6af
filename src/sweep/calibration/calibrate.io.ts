/** Calibrates this host: levels of growing size against the null server, until packets go out late. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wallIso } from '../../base/system-clock.io.js'
import { coreCount } from '../../load/cores.io.js'
import type { LevelPlan } from '../../load/level-plan.js'
import { startNullServerProcess } from '../../loopback/null-server-client.io.js'
import { loadProfile } from '../../profile/load-profile.io.js'
import { PACKET_MS, type Profile } from '../../profile/profile.js'
import { runLevelProcess } from '../level-client.io.js'
import { readHostFacts } from '../preflight/host-facts.io.js'
import { CALIBRATION_SCHEMA_NAME, type Calibration, type CalibrationStep, type SessionLimit } from './calibration.js'
import { calibratedHost } from './calibration-file.io.js'
import { climb } from './ladder.js'
import { type SessionCap, sessionCap } from './session-cap.js'
import { calibrationStep } from './step.js'

export interface CalibrateOptions {
  readonly transport: 'lean' | 'ws'
  /** Senders of the whole host. */
  readonly senders: number | 'auto'
  readonly maxSessions: number | undefined
  readonly replyShare: number
  /** One coarse look in place of a search that believes nothing it has not seen twice. */
  readonly isQuick: boolean
  readonly signal: AbortSignal
  readonly onStep: (step: CalibrationStep) => void
}

/** Sessions begin here, whatever the host: any machine can do that. */
const FIRST_SESSIONS = 250
const PROFILE = 'minicpmo-native'
const DISTINCT_INPUTS = 4

/**
 * @returns undefined when it was interrupted
 * @throws UserError when something cannot be stored
 */
export async function calibrate(options: CalibrateOptions): Promise<Calibration | undefined> {
  const { transport, isQuick, replyShare, maxSessions, signal } = options
  const facts = await readHostFacts()
  const profile = await loadProfile(PROFILE)
  const senders = options.senders === 'auto' ? Math.max(1, coreCount() - 1) : options.senders
  const steps: CalibrationStep[] = []
  const search = async (count: number, first: number): Promise<SessionLimit> => {
    const cap = sessionCap({ facts, senders: count, maxSessions })
    const end = await climb({
      first,
      most: cap.sessions,
      tolerance: isQuick ? 0.2 : 0.05,
      tries: isQuick ? 1 : 3,
      holds: async (sessions) => {
        signal.throwIfAborted()
        const step = await oneStep({ ...options, profile, sessions, senders: count, seconds: isQuick ? 3 : 6 })
        signal.throwIfAborted()
        steps.push(step)
        options.onStep(step)
        return step.holds
      },
    })
    return { senders: count, sessions: end.sessions, limited_by: limitOf(end.isAtMost, cap) }
  }
  try {
    const perSender = await search(1, FIRST_SESSIONS)
    const hostLimit = senders === 1 ? perSender : await search(senders, Math.max(1, perSender.sessions))
    return {
      schema: CALIBRATION_SCHEMA_NAME,
      made_at: wallIso(),
      host: calibratedHost(),
      transport,
      packet_ms: PACKET_MS,
      reply_share: replyShare,
      per_sender: perSender,
      host_limit: hostLimit,
      steps,
    }
  } catch (thrown) {
    if (signal.aborted) return undefined
    throw thrown
  }
}

function limitOf(isAtMost: boolean, cap: SessionCap): SessionLimit['limited_by'] {
  return isAtMost ? cap.limitedBy : 'timing'
}

async function oneStep(order: {
  readonly transport: 'lean' | 'ws'
  readonly replyShare: number
  readonly profile: Profile
  readonly sessions: number
  readonly senders: number
  readonly seconds: number
  readonly signal: AbortSignal
}): Promise<CalibrationStep> {
  const { sessions, signal, replyShare } = order
  const folder = await mkdtemp(join(tmpdir(), 'floorload-calibrate-'))
  const server = await startNullServerProcess({ replyShare })
  try {
    let completed = 0
    const { monitoring } = await runLevelProcess({
      plan: await stepPlan({ ...order, folder, url: server.url }),
      signal,
      onProgress: () => undefined,
      onSession: ({ outcome }) => {
        if (outcome.kind === 'completed') completed += 1
      },
    })
    return calibrationStep({ sessions, completed, monitoring })
  } finally {
    server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function stepPlan(order: {
  readonly transport: 'lean' | 'ws'
  readonly profile: Profile
  readonly sessions: number
  readonly senders: number
  readonly seconds: number
  readonly folder: string
  readonly url: string
}): Promise<LevelPlan> {
  const { folder, url, profile, sessions, senders, seconds, transport } = order
  const samples = seconds * profile.input.sample_rate_hz
  const inputs = Array.from({ length: DISTINCT_INPUTS }, (_, index) => ({
    file: join(folder, `input-${index}.pcm`),
    sha256: '',
    samples,
  }))
  for (const [index, { file }] of inputs.entries()) {
    await writeFile(
      file,
      new Uint8Array(Int16Array.from({ length: samples }, (_, at) => 900 * Math.sin(at / (9 + index))).buffer),
    )
  }
  return {
    ...{ runDirectory: folder, url, headers: {}, transport, profile, senders },
    concurrency: sessions,
    // All are let in before the first packet: a storm of handshakes is not what is measured here.
    ...{ policy: 'spread', phases: 'spread', startSeed: 'calibrate' },
    leadMs: 500,
    admission: { retries: 0, backoffMs: 0 },
    deadlines: { admissionS: 60, sessionS: seconds + 90 },
    postCloseMs: 100,
    inputs,
    sessions: Array.from({ length: sessions }, (_, index) => ({
      directory: `samples/calibrate/${index}/input`,
      inputIndex: index % DISTINCT_INPUTS,
    })),
    // The journal is written as ever; nobody will read traces made of it.
    isDiscarded: true,
  }
}
