import { describe, expect, it, test } from 'vitest'
import type { SessionFacts } from '../../../src/metrics/session-facts.js'
import { loadProfile } from '../../../src/profile/load-profile.io.js'
import { seededRandom } from '../../../src/stats/random.js'
import type { ComparedRun } from '../../../src/sweep/comparison/compared-run.js'
import { compareSides } from '../../../src/sweep/comparison/comparison.js'
import type { Comparison } from '../../../src/sweep/comparison/comparison-result.js'
import { parseThresholds } from '../../../src/sweep/comparison/thresholds.js'
import { type ComparedRunPlan, comparedRun, comparedSide, virtualSweep } from '../../helpers/compared-sides.js'
import { deniedFacts, factsWith, NATIVE, TURN_BASED } from '../../helpers/measured-levels.js'
import { captureOf, numbered, pauseRow, turnRow } from '../../helpers/scored-captures.js'

interface Drawn {
  readonly seed: string
  readonly sessions?: number
  /** Multiplies every lag. */
  readonly factor?: number
  /** Share of sessions that are so late that every unit is missed. */
  readonly lateShare?: number
}

/** Sessions whose lags hang together, about 400 ms. */
function sessionsOf({ seed, sessions = 24, factor = 1, lateShare = 0 }: Drawn): SessionFacts[] {
  const random = seededRandom(seed)
  return Array.from({ length: sessions }, (_, index) => {
    const isLate = random.next() < lateShare
    const levelUs = isLate ? 1_200_000 : 300_000 + 200_000 * random.next()
    const lagsUs = Array.from({ length: 8 }, () => Math.round(factor * (levelUs + 40_000 * random.next())))
    return factsWith({ name: `s${String(index).padStart(2, '0')}`, lagsUs })
  })
}

const runOf = (drawn: Drawn, plan: Partial<ComparedRunPlan> = {}) =>
  comparedRun({ sessions: sessionsOf(drawn), ...plan })

function compared(old: readonly ComparedRun[], fresh: readonly ComparedRun[], thresholds: string[] = []): Comparison {
  return compareSides({
    old: comparedSide(old, 'v1'),
    new: comparedSide(fresh, 'v2'),
    thresholds: parseThresholds(thresholds),
    toolVersion: '1.2.3',
  })
}

const metricOf = (comparison: Comparison, name: string, level = 0) =>
  comparison.levels[level]?.metrics.find(({ metric }) => metric === name)

describe('one figure', () => {
  it('is worse beyond the threshold, better the other way round, and the same bytes each time', () => {
    const [old, slow] = [[runOf({ seed: 'a' })], [runOf({ seed: 'b', factor: 1.3 })]]
    const comparison = compared(old, slow)
    expect(comparison.verdict).toBe('worse')
    expect(comparison.summary[0]).toMatch(
      /^Worse at level 4: unit lag p50 \d+ → \d+ ms \(\+\d+, 95% \+\d+\.\.\+\d+\); at level 4: unit lag p95 /,
    )
    expect(metricOf(comparison, 'unit_lag.p95')).toMatchObject({
      unit: 'time',
      old_n: 192,
      new_n: 192,
      over_runs: false,
      verdict: 'worse',
    })
    expect(compared(slow, old).verdict).toBe('better')
    expect(JSON.stringify(compared(old, slow))).toBe(JSON.stringify(comparison))
  })

  it('is not worse by less than counts, however sure it is', () => {
    const sessions = sessionsOf({ seed: 'a' })
    const slower = sessions.map((facts) => ({
      ...facts,
      units: facts.units.map((unit) => ({ ...unit, lagUs: (unit.lagUs ?? 0) + 10_000 })),
    }))
    const [old, fresh] = [[comparedRun({ sessions })], [comparedRun({ sessions: slower })]]
    expect(metricOf(compared(old, fresh), 'unit_lag.p50')).toMatchObject({
      difference: 0.01,
      verdict: 'no difference shown',
      note: 'worse, by less than the threshold',
    })
    expect(metricOf(compared(old, fresh, ['unit_lag=5ms']), 'unit_lag.p50')).toMatchObject({
      threshold: 0.005,
      verdict: 'worse',
    })
  })

  it('has the values of the level rows', () => {
    const [old, fresh] = [runOf({ seed: 'a' }), runOf({ seed: 'b', lateShare: 0.2 })]
    const comparison = compared([old], [fresh])
    const rows = [old.analysed.row, fresh.analysed.row] as const
    expect(metricOf(comparison, 'unit_miss_rate')).toMatchObject({
      old: rows[0].unit_miss_rate,
      new: rows[1].unit_miss_rate,
    })
    for (const key of ['p50', 'p95', 'p99'] as const) {
      const metric = metricOf(comparison, `unit_lag.${key}`)
      expect([metric?.old, metric?.new]).toEqual(rows.map((row) => row.unit_lag_s?.[key]))
    }
  })

  it('misses of whole sessions: worse when there are enough of them, open when there are few', () => {
    const old = [runOf({ seed: 'a', sessions: 60 })]
    const missOf = (lateShare: number) =>
      metricOf(compared(old, [runOf({ seed: 'late', sessions: 60, lateShare })]), 'unit_miss_rate')
    expect(missOf(0.5)).toMatchObject({ verdict: 'worse' })
    // Two bad sessions of 60 are 16 units of 480, which independent units would call worse.
    expect(missOf(0.04)).toMatchObject({ verdict: 'no difference shown' })
    expect(missOf(0.04)?.difference).toBeGreaterThan(0.005)
  })

  it('denied sessions are worse in two figures', () => {
    const names = (facts: SessionFacts, index: number) => ({ ...facts, name: `s${String(index).padStart(2, '0')}` })
    const fresh = sessionsOf({ seed: 'b' }).map((facts, index) =>
      index % 2 === 0 || index === 1 ? names(deniedFacts(), index) : facts,
    )
    const comparison = compared([runOf({ seed: 'a' })], [comparedRun({ sessions: fresh })])
    expect(metricOf(comparison, 'denied_rate')).toMatchObject({ verdict: 'worse' })
    expect(metricOf(comparison, 'session_failure_rate')).toMatchObject({ verdict: 'worse' })
  })

  it('says when there are too few sessions for anything', () => {
    const few = (seed: string, factor = 1) => [runOf({ seed, sessions: 3, factor })]
    expect(metricOf(compared(few('a'), few('a', 2)), 'unit_lag.p50')).toMatchObject({
      verdict: 'no difference shown',
      note: 'too few sessions to show any difference',
    })
  })

  it('a figure that one side does not have does not compare', () => {
    const mute = [comparedRun({ sessions: sessionsOf({ seed: 'a' }) })]
    expect(metricOf(compared(mute, mute), 'first_audio.p50')).toMatchObject({
      old: null,
      verdict: 'not comparable',
      note: 'neither side has a value',
    })
  })

  it('turn-based levels are compared by their real-time factor', () => {
    const sessions = (factor: number) =>
      Array.from({ length: 24 }, (_, index) =>
        factsWith({
          name: `s${index}`,
          unitsExpected: null,
          units: [],
          replies: [
            {
              id: 'r',
              firstAudioUs: 300_000,
              bufferNeededUs: 0,
              pausesUs: [],
              realTimeFactor: factor * (0.5 + index / 1000),
              deltas: 5,
              isCut: false,
            },
          ],
        }),
      )
    const side = (factor: number) => [comparedRun({ profile: TURN_BASED, sessions: sessions(factor) })]
    const comparison = compared(side(1), side(1.2))
    expect(comparison.levels[0]?.metrics.map(({ metric }) => metric)).not.toContain('unit_miss_rate')
    expect(metricOf(comparison, 'rtf.p90')).toMatchObject({ verdict: 'worse', unit: 'factor' })
    expect(metricOf(comparison, 'first_audio.p90')).toMatchObject({ verdict: 'no difference shown', p: 1 })
  })
})

describe('repeats', () => {
  it('that agree are sessions of one sample; that disagree are compared over runs', () => {
    const repeats = (name: string, factors: readonly number[]) =>
      factors.map((factor, index) => runOf({ seed: `${name} ${index}`, factor }, { repeat: index + 1 }))
    const agree = compared(repeats('a', [1, 1]), repeats('b', [1.3, 1.3]))
    expect(metricOf(agree, 'unit_lag.p50')).toMatchObject({ over_runs: false, verdict: 'worse' })
    expect(agree.levels[0]?.warnings).not.toContain('one run on each side: what differs from run to run cannot be seen')
    const disagree = compared(repeats('a', [1, 1.6]), repeats('b', [1.1, 1.9]))
    expect(metricOf(disagree, 'unit_lag.p50')).toMatchObject({
      over_runs: true,
      verdict: 'no difference shown',
      note: 'repeats of one side disagree: compared over runs',
    })
  })

  it('may be more on one side', () => {
    const old = [1, 2, 3].map((repeat) => runOf({ seed: `a ${repeat}` }, { repeat }))
    expect(compared(old, [runOf({ seed: 'b', factor: 1.3 })]).verdict).toBe('worse')
    expect(compared(old, [runOf({ seed: 'b' })]).verdict).toBe('no difference shown')
  })
})

describe('comparability', () => {
  const old = () => [runOf({ seed: 'a' })]
  const freshWith = (plan: Partial<ComparedRunPlan>, drawn: Partial<Drawn> = {}) => [
    runOf({ seed: 'b', ...drawn }, plan),
  ]

  it.each<{ what: string; plan?: Partial<ComparedRunPlan>; drawn?: Partial<Drawn>; old: string; new: string }>([
    { what: 'profile', plan: { profile: { ...NATIVE, unit_ms: 500 } }, old: 'unit_ms 1000', new: 'unit_ms 500' },
    {
      what: 'session settings',
      plan: { profile: { ...NATIVE, session: { ...NATIVE.session, voice: 'x' } } },
      old: 'voice absent',
      new: 'voice "x"',
    },
    { what: 'start policy', plan: { run: { policy: 'aligned' } }, old: 'pool', new: 'aligned' },
    { what: 'start policy', plan: { run: { policy: undefined } }, old: 'pool', new: 'not recorded' },
    {
      what: 'packet schedule',
      plan: { run: { manifest: { profile: NATIVE.name, config: { packet_ms: 40, late_packets: 'sent at once' } } } },
      old: 'packet_ms 80',
      new: 'packet_ms 40',
    },
    {
      what: 'inputs',
      plan: { inputs: new Map(Array.from({ length: 24 }, (_, index) => [`s${index}`, 'other'])) },
      old: '24 distinct in 24 sessions, 0 of them shared',
      new: '1 distinct in 24 sessions, 0 of them shared',
    },
    { what: 'sessions in a run', drawn: { sessions: 20 }, old: '24', new: '20' },
  ])('a level with another $what ($new) does not compare', ({ what, plan = {}, drawn, ...values }) => {
    const comparison = compared(old(), freshWith(plan, drawn))
    expect(comparison.verdict).toBe('not comparable')
    expect(comparison.levels[0]?.mismatches).toContainEqual({ what, ...values })
    expect(comparison.levels[0]?.metrics).toEqual([])
    expect(comparison.summary[0]).toContain(`${what}: ${values.old} in OLD, ${values.new} in NEW`)
  })

  it('what a model or a seed is called changes nothing', () => {
    const fresh = freshWith({ profile: { ...NATIVE, model: 'v2', description: 'another' }, run: { seed: 9 } })
    expect(compared(old(), fresh)).toMatchObject({ verdict: 'no difference shown', levels: [{ mismatches: [] }] })
  })

  it('an invalid level does not compare', () => {
    const fresh = freshWith({ row: { valid: false, pacing_violations: 3 } })
    expect(compared(old(), fresh).levels[0]).toMatchObject({
      verdict: 'not comparable',
      invalid: ['concurrency-4-r1 of NEW is invalid: the load generator fell behind in 3 of 24 sessions'],
    })
  })

  it('another reserve spoils the underruns, other targets the capacity, and nothing else', () => {
    const fresh = freshWith({ row: { reserve_s: 0.2 }, targets: { unit_miss_rate_max: 0.5, rtf_p90_below: 1 } })
    const comparison = compared(old(), fresh)
    expect(comparison.verdict).toBe('no difference shown')
    expect(metricOf(comparison, 'underrun_rate')).toMatchObject({ verdict: 'not comparable' })
    expect(comparison.levels[0]?.warnings[0]).toBe(
      'underruns do not compare, playback reserve in seconds: 0.08 in OLD, 0.2 in NEW',
    )
    expect(comparison.capacity[0]).toMatchObject({
      verdict: 'not comparable',
      notes: ['targets: unit_miss_rate_max 0.01 in OLD, unit_miss_rate_max 0.5 in NEW'],
    })
  })

  it('names the same recording given twice', () => {
    const run = runOf({ seed: 'a' })
    expect(compared([run], [run]).levels[0]?.warnings).toContain(
      'concurrency-4-r1 of NEW is the same recording as concurrency-4-r1 of OLD',
    )
  })

  it('levels of one side alone are listed', () => {
    const at = (concurrency: number) => runOf({ seed: 'a' }, { concurrency })
    const comparison = compared([at(2), at(4)], [at(4), at(8)])
    expect(comparison.unmatched.map(({ concurrency, side }) => [concurrency, side])).toEqual([
      [2, 'old'],
      [8, 'new'],
    ])
    expect(comparison.summary.slice(-2)).toEqual(['Only OLD has level 2.', 'Only NEW has level 8.'])
    expect(compared([at(2)], [at(4)]).summary[0]).toBe('Not comparable: OLD and NEW have no level in common.')
  })
})

describe('capacity', () => {
  const side = (name: string, lateShares: readonly number[]) =>
    lateShares.map((lateShare, index) =>
      runOf({ seed: `${name} ${index}`, lateShare, sessions: 40 }, { concurrency: 2 ** index }),
    )

  it('is worse where the lost level is, and not where the point rule fell over a single session', () => {
    const lost = compared(side('a', [0, 0, 0]), side('b', [0, 0, 0.6]))
    expect(lost.capacity[0]).toMatchObject({
      point_rule: 'lower',
      verdict: 'worse',
      old: { sessions: 4 },
      new: { sessions: 2 },
    })
    const shaky = compared(side('a', [0, 0, 0]), side('b', [0, 0, 0.04]))
    expect(shaky.capacity[0]).toMatchObject({ point_rule: 'lower', verdict: 'no difference shown' })
    expect(shaky.capacity[0]?.notes[0]).toBe('lower by the point rule, but no figure of level 4 is shown to be worse')
    expect(shaky.verdict).toBe('no difference shown')
  })
})

describe('quality', () => {
  const scored = (rows: Parameters<typeof captureOf>[0], changes: Parameters<typeof captureOf>[1] = {}) =>
    runOf({ seed: 'a' }, { scored: captureOf(rows, changes) })
  const pauses = (isBad: (index: number) => boolean) => numbered(40, (id, index) => pauseRow(id, isBad(index)))
  const turns = (latencyS: (index: number) => number | null) =>
    numbered(40, (id, index) => turnRow(id, latencyS(index)))

  it('is paired by sample and judged with the other figures', () => {
    const old = scored([...pauses(() => false), ...turns((index) => 1 + index / 1000)])
    const fresh = scored([...pauses((index) => index < 20), ...turns((index) => (index < 30 ? null : 1))])
    const { verdict, levels } = compared([old], [fresh])
    const found = new Map(levels[0]?.quality.map((metric) => [metric.metric, metric.verdict]))
    expect(verdict).toBe('worse')
    expect(Object.fromEntries(found)).toEqual({
      pause_intrusion_rate: 'worse',
      early_start_rate: 'no difference shown',
      response_rate_2s: 'worse',
      response_latency_s: 'worse',
    })
    expect(compared([fresh], [old]).verdict).toBe('better')
    expect(compared([old], [old]).verdict).toBe('no difference shown')
  })

  it('does not compare across sources of words, nor with a side that was not scored', () => {
    const old = scored(pauses(() => false))
    const other = scored(
      pauses(() => true),
      { words: { kind: 'asr', name: 'x', details: {} } as never },
    )
    expect(compared([old], [other]).levels[0]?.quality).toEqual([])
    expect(compared([old], [other]).levels[0]?.warnings.join()).toContain(
      'quality does not compare, source of words: {"kind":"vad"',
    )
    expect(compared([old], [runOf({ seed: 'a' })]).levels[0]?.warnings).toContain('only OLD was scored for quality')
  })
})

test('identical accelerators show no difference, slower ones are worse where they have to be', async () => {
  const profile = await loadProfile('minicpmo-native')
  const sweep = (factor: number, seed: string) =>
    virtualSweep(
      { profile, levels: [1, 4], sessions: 16, server: { baseMs: 100 * factor, perUnitMs: 150 * factor, seed } },
      seed,
    )
  for (const trial of [1, 2]) {
    const old = await sweep(1, `old ${trial}`)
    const judge = (fresh: Awaited<ReturnType<typeof sweep>>) =>
      compareSides({ old, new: fresh, thresholds: parseThresholds([]), toolVersion: '1' })
    expect(judge(await sweep(1, `new ${trial}`))).toMatchObject({ verdict: 'no difference shown' })
    const slower = judge(await sweep(1.15, `new ${trial}`))
    expect(slower.verdict).toBe('worse')
    expect(metricOf(slower, 'unit_lag.p50')).toMatchObject({ verdict: 'worse' })
    expect(metricOf(slower, 'session_failure_rate')).toMatchObject({ verdict: 'no difference shown' })
  }
})
