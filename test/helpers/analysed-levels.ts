/** Analysed runs that were never recorded: whole sweeps of any size, for tests of what is rendered from them. */
import type { SelfMonitoring } from '../../src/capture/self-monitoring.js'
import type { ReplyFacts, SessionFacts } from '../../src/metrics/session-facts.js'
import type { SessionTimeline, TimelineEvent } from '../../src/metrics/session-timeline.js'
import type { Profile } from '../../src/profile/profile.js'
import type { AnalysedRun } from '../../src/sweep/analyse-run.io.js'
import { factsWith, NATIVE, rowOf } from './measured-levels.js'

export interface LevelSketch {
  readonly concurrency: number
  readonly sessions: readonly SessionFacts[]
  readonly profile?: Profile
  readonly name?: string
  readonly repeat?: number
  readonly monitoring?: SelfMonitoring
  readonly events?: readonly TimelineEvent[]
}

/** The first session of a level is its worst. */
export function analysedLevel(sketch: LevelSketch): AnalysedRun {
  const { concurrency, sessions, profile = NATIVE, repeat = 1 } = sketch
  const name = sketch.name ?? `concurrency-${concurrency}${repeat > 1 ? `-r${repeat}` : ''}`
  const first = sessions[0]
  return {
    run: {
      directory: `/somewhere/${name}`,
      name,
      layout: 'field',
      manifest: { profile: profile.name },
      profileName: profile.name,
      profileDefinition: undefined,
      concurrency,
      repeat,
      role: 'level',
      policy: 'pool',
      phases: 'spread',
      senders: 1,
      calibratedSessions: undefined,
      admissionRetryLimit: undefined,
      areReceiptsRequired: true,
      reserveS: undefined,
      targets: undefined,
      gate: undefined,
      quality: undefined,
      seed: 0,
      isComplete: true,
      isInterrupted: false,
      sessions: [],
      invalidItems: 0,
      monitoring: sketch.monitoring,
    },
    profile,
    targets: profile.targets,
    row: rowOf(sessions, { profile, concurrency }),
    sessions,
    worst: first === undefined ? undefined : timelineOf(first, sketch.events ?? []),
    evidence: null,
    inputsSha256: `hash of ${profile.name} ${name}`,
  }
}

/** A session of so many units, each packet a little late, with a reply of deltas that come a little late, too. */
export function busySession(options: {
  readonly name: string
  readonly seconds: number
  readonly unitUs: number
  readonly startUs: number
}): SessionFacts {
  const { name, seconds, unitUs, startUs } = options
  const count = Math.round((seconds * 1e6) / unitUs)
  const packets = Math.round(seconds / 0.08)
  const jitter = (index: number) => (index * 7919) % 1000
  return factsWith({
    name,
    inputSamples: seconds * 16_000,
    inputUs: seconds * 1e6,
    unitsExpected: count,
    units: Array.from({ length: count }, (_, unit) => {
      const lagUs = 200_000 + 137 * jitter(unit + startUs)
      return { unit, doneAtUs: startUs + (unit + 1) * unitUs + lagUs, lagUs, isSpeak: unit % 3 === 0 }
    }),
    pacing: {
      problems: [],
      latenessUs: Array.from({ length: packets }, (_, k) => 3 * jitter(k)),
      isInputStalled: false,
    },
    packetsSent: packets,
    openAtUs: startUs - 50_000,
    t0Us: startUs,
    closeAtUs: startUs + (seconds + 1) * 1e6,
    replies: [replyWith({ id: `${name}-reply`, bufferNeededUs: 311 * jitter(startUs / 1e6) })],
  })
}

export function replyWith(changes: Partial<ReplyFacts> = {}): ReplyFacts {
  return {
    id: 'reply',
    firstAudioUs: 300_000,
    bufferNeededUs: 50_000,
    pausesUs: [],
    realTimeFactor: undefined,
    deltas: 2,
    isCut: false,
    ...changes,
  }
}

function timelineOf(facts: SessionFacts, events: readonly TimelineEvent[]): SessionTimeline {
  const originUs = facts.t0Us ?? 0
  return {
    facts,
    originUs,
    packets: (facts.pacing.latenessUs ?? []).map((latenessUs, k) => ({
      atUs: originUs + k * 80_000 + latenessUs,
      latenessUs,
    })),
    units: facts.units.map(({ unit, doneAtUs, lagUs = 0, isSpeak }) => ({
      unit,
      readyAtUs: doneAtUs - lagUs,
      doneAtUs,
      isSpeak,
    })),
    replies: facts.replies.map(({ id, isCut }) => ({
      id,
      isCut,
      sampleRateHz: 24_000,
      arrivals: facts.units.map(({ doneAtUs }) => ({ atUs: doneAtUs, samples: 2400 })),
      played: [{ fromUs: originUs + 1_000_000, toUs: originUs + 2_000_000 }],
    })),
    events,
  }
}
