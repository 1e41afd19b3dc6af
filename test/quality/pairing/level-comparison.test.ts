import { describe, expect, it } from 'vitest'
import { compareLevels, type LevelComparison } from '../../../src/quality/pairing/level-comparison.js'
import type { UnifiedRow } from '../../../src/quality/unified/unified-result.js'
import { ineligible, interruptionRow, numbered, pauseRow, turnRow } from '../../helpers/scored-captures.js'

function compare(
  baseline: readonly UnifiedRow[],
  level: readonly UnifiedRow[],
  margins: Record<string, number>,
): LevelComparison {
  return compareLevels({ baseline, level, margins, seed: 0 })
}

function metricOf(comparison: LevelComparison, metric: string) {
  const found = comparison.metrics.find((candidate) => candidate.metric === metric)
  if (found === undefined) throw new Error(`${metric} was not compared`)
  return found
}

describe('shares', () => {
  const margins = { pause_intrusion_rate: 0.25 }
  const quiet = numbered(12, (id) => pauseRow(id, false))
  const intrudingIn = (count: number) => numbered(12, (id, index) => pauseRow(id, index < count))

  it.each([
    { intrusions: 0, verdict: 'within', p: 1 },
    { intrusions: 1, verdict: 'not_enough_samples', p: 0.5 },
    { intrusions: 4, verdict: 'not_enough_samples', p: 0.0625 },
    { intrusions: 5, verdict: 'worse', p: 0.03125 },
    { intrusions: 12, verdict: 'worse', p: 1 / 4096 },
  ])('$intrusions of 12 samples worse: $verdict', ({ intrusions, verdict, p }) => {
    const comparison = compare(quiet, intrudingIn(intrusions), margins)
    const metric = metricOf(comparison, 'pause_intrusion_rate')
    expect(metric).toMatchObject({ pairs: 12, verdict, mcnemar: { worse: intrusions, better: 0 } })
    expect(metric.mcnemar?.p).toBeCloseTo(p, 12)
    expect(metric.worsening).toBeCloseTo(intrusions / 12, 12)
    expect(comparison.verdict).toBe(verdict)
  })

  it('says how many pairs the margin takes at least', () => {
    const metric = metricOf(compare(quiet, quiet, { pause_intrusion_rate: 0.1 }), 'pause_intrusion_rate')
    expect(metric).toMatchObject({ verdict: 'not_enough_samples', pairs_needed: 25 })
  })

  it('a better level is within the margin', () => {
    const metric = metricOf(compare(intrudingIn(9), quiet, margins), 'pause_intrusion_rate')
    expect(metric).toMatchObject({ verdict: 'within', worsening: -0.75, mcnemar: { worse: 0, better: 9 } })
  })

  it('a response rate is worse when it is lower, and 2 s exactly counts', () => {
    const before = numbered(8, (id) => turnRow(id, 2))
    const after = numbered(8, (id, index) => turnRow(id, index < 6 ? 2.000001 : 2))
    const metric = metricOf(compare(before, after, { response_rate_2s: 0.1 }), 'response_rate_2s')
    expect(metric).toMatchObject({ baseline: 1, level: 0.25, worsening: 0.75, verdict: 'worse' })
  })

  it('an early start is no response', () => {
    const before = numbered(8, (id) => turnRow(id, 1))
    const after = numbered(8, (id) => turnRow(id, 'early'))
    const comparison = compare(before, after, { early_start_rate: 0.1, response_rate_2s: 0.1 })
    expect(metricOf(comparison, 'early_start_rate')).toMatchObject({ level: 1, verdict: 'worse' })
    expect(metricOf(comparison, 'response_rate_2s')).toMatchObject({ level: 0, verdict: 'worse' })
  })
})

describe('latencies', () => {
  const margins = { response_latency_s: 0.5 }
  const before = numbered(12, (id, index) => turnRow(id, 1 + index / 100))
  const later = (byS: number) => numbered(12, (id, index) => turnRow(id, 1 + index / 100 + byS))

  it.each([
    { byS: 0, verdict: 'within' },
    { byS: 0.3, verdict: 'within' },
    { byS: 0.52, verdict: 'worse' },
    { byS: 2, verdict: 'worse' },
  ])('replies $byS s later: $verdict', ({ byS, verdict }) => {
    const metric = metricOf(compare(before, later(byS), margins), 'response_latency_s')
    expect(metric.verdict).toBe(verdict)
    expect(metric.worsening).toBeCloseTo(byS, 6)
  })

  it('a difference of exactly the margin is within it, whatever floats make of it', () => {
    const fast = numbered(12, (id) => turnRow(id, 1.7))
    const slow = numbered(12, (id) => turnRow(id, 2.2))
    expect(2.2 - 1.7).toBeGreaterThan(0.5)
    expect(metricOf(compare(fast, slow, margins), 'response_latency_s')).toMatchObject({
      worsening: 0.5,
      worsening_bounds95: [0.5, 0.5],
      verdict: 'within',
    })
  })

  it.each([
    { count: 1, byS: 0, verdict: 'not_enough_samples', pairs_needed: 5 },
    { count: 4, byS: 0, verdict: 'not_enough_samples', pairs_needed: 5 },
    { count: 4, byS: 2, verdict: 'not_enough_samples', pairs_needed: 5 },
    { count: 5, byS: 0, verdict: 'within', pairs_needed: null },
    { count: 5, byS: 2, verdict: 'worse', pairs_needed: null },
  ])('$count pairs, $byS s later: $verdict', ({ count, byS, verdict, pairs_needed }) => {
    const of = (latencyS: number) => numbered(count, (id) => turnRow(id, latencyS))
    const metric = metricOf(compare(of(1), of(1 + byS), margins), 'response_latency_s')
    expect(metric).toMatchObject({ worsening: byS, verdict, pairs_needed })
    expect(metric.worsening_bounds95 === null).toBe(pairs_needed !== null)
  })

  it('a level that never answers is infinitely later', () => {
    const metric = metricOf(
      compare(
        before,
        numbered(12, (id) => turnRow(id, null)),
        margins,
      ),
      'response_latency_s',
    )
    expect(metric).toMatchObject({ level: 'not_reached', worsening: 'inf', verdict: 'worse' })
  })

  it('two medians that were both not reached are not compared', () => {
    const never = numbered(12, (id) => turnRow(id, null))
    const metric = metricOf(compare(never, never, margins), 'response_latency_s')
    expect(metric).toMatchObject({ worsening: null, worsening_bounds95: null, verdict: 'not_enough_samples' })
  })
})

describe('which samples are paired', () => {
  it('those eligible in both, and for interruptions exercised in both', () => {
    const before = [
      interruptionRow('1', 1),
      interruptionRow('2', 1),
      interruptionRow('3', undefined),
      interruptionRow('4', undefined),
      ineligible(interruptionRow('5', 1)),
      ineligible(interruptionRow('6', 1)),
    ]
    const after = [
      interruptionRow('1', 3),
      interruptionRow('2', undefined),
      interruptionRow('3', 2),
      interruptionRow('4', undefined),
      interruptionRow('5', 1),
      ineligible(interruptionRow('6', 1)),
      interruptionRow('7', 1),
    ]
    const comparison = compare(before, after, { stop_latency_s: 0.5 })
    expect(comparison.subsets).toEqual({
      synthetic_user_interruption: {
        eligible: { both: 4, level_only: 2, baseline_only: 0, neither: 1 },
        exercised: { both: 1, level_only: 1, baseline_only: 1, neither: 1 },
      },
    })
    expect(metricOf(comparison, 'stop_latency_s')).toMatchObject({ pairs: 1, baseline: 1, level: 3 })
    expect(metricOf(comparison, 'exercised_rate')).toMatchObject({ pairs: 4, baseline: 0.5, level: 0.5 })
  })

  it('a chosen metric without a pair leaves the level open', () => {
    const silent = numbered(3, (id) => interruptionRow(id, undefined))
    const comparison = compare(silent, silent, { stop_latency_s: 0.5 })
    expect(metricOf(comparison, 'stop_latency_s')).toMatchObject({ pairs: 0, verdict: 'not_enough_samples' })
    expect(comparison.verdict).toBe('not_enough_samples')
  })

  it('a margin for a task that was not recorded decides nothing', () => {
    const rows = numbered(12, (id) => pauseRow(id, false))
    expect(compare(rows, rows, { pause_intrusion_rate: 0.25, stop_latency_s: 0.5 }).verdict).toBe('within')
  })

  it('metrics without a margin are compared and decide nothing', () => {
    const before = numbered(12, (id) => turnRow(id, 1))
    const after = numbered(12, (id) => turnRow(id, 5))
    const comparison = compare(before, after, { early_start_rate: 0.25 })
    expect(metricOf(comparison, 'response_latency_s')).toMatchObject({ worsening: 4, margin: null, verdict: null })
    expect(comparison.verdict).toBe('within')
  })
})
