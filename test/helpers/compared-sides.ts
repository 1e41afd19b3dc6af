/** Sides of a comparison without files: from facts as a test states them, and from whole virtual sweeps. */

import type { LoopbackOptionsInput } from '../../src/loopback/options.js'
import { type LevelRow, levelRow } from '../../src/metrics/level-row.js'
import type { SessionFacts } from '../../src/metrics/session-facts.js'
import type { Profile } from '../../src/profile/profile.js'
import type { StartPolicy } from '../../src/profile/sweep-file.js'
import type { AnalysedRun } from '../../src/sweep/analyse-run.io.js'
import type { ComparedRun, ComparedSide } from '../../src/sweep/comparison/compared-run.js'
import { NATIVE } from './measured-levels.js'
import { runVirtualLevel, speechLikeInput } from './virtual-level.js'

export interface ComparedRunPlan {
  readonly sessions: readonly SessionFacts[]
  readonly concurrency?: number
  readonly repeat?: number
  readonly profile?: Profile
  /** Hash of each session's input; the session's name where it is left out. */
  readonly inputs?: ReadonlyMap<string, string | null>
  /** Laid over what a recorded run says of itself. */
  readonly run?: Partial<AnalysedRun['run']>
  readonly row?: Partial<LevelRow>
  readonly targets?: AnalysedRun['targets']
  readonly scored?: ComparedRun['scored']
}

/** A level as it stands after analysis. */
export function comparedRun(plan: ComparedRunPlan): ComparedRun {
  const { sessions, profile = NATIVE, concurrency = 4, repeat = 1 } = plan
  const targets = plan.targets ?? profile.targets
  const name = `concurrency-${concurrency}-r${repeat}`
  const row = levelRow({ profile, targets, concurrency, sessions, reserveUs: 80_000, stalls: undefined })
  return {
    analysed: {
      run: {
        directory: name,
        name,
        layout: 'field',
        manifest: { profile: profile.name, config: { packet_ms: 80, late_packets: 'sent at once' } },
        profileName: profile.name,
        profileDefinition: undefined,
        concurrency,
        repeat,
        role: 'level',
        policy: 'pool',
        phases: 'spread',
        senders: 1,
        calibratedSessions: undefined,
        admissionRetryLimit: 3,
        areReceiptsRequired: true,
        reserveS: 0.08,
        targets,
        gate: undefined,
        quality: undefined,
        seed: 0,
        isComplete: true,
        isInterrupted: false,
        sessions: [],
        invalidItems: 0,
        monitoring: undefined,
        ...plan.run,
      },
      profile,
      targets,
      row: { ...row, ...plan.row },
      sessions,
      worst: undefined,

      evidence: null,
      inputsSha256: JSON.stringify(sessions.map(({ units, replies }) => [units, replies])),
    },
    inputs: plan.inputs ?? new Map(sessions.map((session) => [session.name, session.name])),
    scored: plan.scored,
  }
}

export function comparedSide(runs: readonly ComparedRun[], name = 'sweep'): ComparedSide {
  return { name, runs, sweep: undefined }
}

export interface VirtualSweep {
  readonly profile: Profile
  readonly levels: readonly number[]
  readonly sessions: number
  readonly server: LoopbackOptionsInput
  readonly policy?: StartPolicy
  readonly repeats?: number
}

const INPUTS_MS = [2640, 4700, 3000, 3580, 2775, 6150, 5320, 4040]

/** A whole sweep of the real client against the real loopback server on the virtual clock. */
export async function virtualSweep(sweep: VirtualSweep, name: string): Promise<ComparedSide> {
  const { profile, server, sessions } = sweep
  const inputs = INPUTS_MS.map((ms, index) => speechLikeInput(profile, ms, String(index)))
  const runs: ComparedRun[] = []
  for (let repeat = 1; repeat <= (sweep.repeats ?? 1); repeat += 1) {
    for (const concurrency of sweep.levels) {
      const level = await runVirtualLevel({
        profile,
        server: { ...server, seed: `${server.seed ?? 1}/${concurrency}/${repeat}` },
        concurrency,
        inputs,
        sessions: Math.max(sessions, 2 * concurrency),
        policy: sweep.policy ?? 'pool',
      })
      const hashes = new Map(
        level.sessions.map(({ name: session }) => [session, `input ${Number(session.slice(-4)) % inputs.length}`]),
      )
      runs.push(comparedRun({ sessions: level.sessions, profile, concurrency, repeat, inputs: hashes }))
    }
  }
  return comparedSide(runs, name)
}
