/** The names that gates know, against what results really hold. */
import { expect, it } from 'vitest'
import {
  COLUMN_METRICS,
  DISTRIBUTION_METRICS,
  type GateUnit,
  QUALITY_METRICS,
  STATISTICS,
} from '../../src/profile/gate-metrics.js'
import { interruptionMetrics, pauseMetrics, turnTakingMetrics } from '../../src/quality/unified/subset-metrics.js'
import { rowWith } from '../helpers/measured-levels.js'

it('every column is one of the row', () => {
  expect(Object.keys(rowWith())).toEqual(expect.arrayContaining(Object.keys(COLUMN_METRICS)))
})

it('every statistic is one that distributions of that name have', () => {
  const row = rowWith() as unknown as Record<string, Record<string, number> | null>
  for (const [name, statistics] of Object.entries(STATISTICS)) {
    const distribution = row[`${name}_s`]
    if (distribution === null || distribution === undefined) continue
    expect({ name, keys: Object.keys(distribution) }).toEqual({ name, keys: expect.arrayContaining([...statistics]) })
  }
  expect(Object.keys(STATISTICS)).toEqual(Object.keys(DISTRIBUTION_METRICS))
})

it('every quality metric is known, in its unit', () => {
  const population = { subset: 'any', selected: 1, ineligible: 0 }
  const computed = {
    ...pauseMetrics([], population),
    ...turnTakingMetrics([], population),
    ...interruptionMetrics([], population),
  }
  const units = Object.entries(computed).map(([name, metric]): [string, GateUnit] => [
    name,
    'p90' in metric ? 'time' : 'numerator' in metric ? 'factor' : 'share',
  ])
  const known = Object.entries(QUALITY_METRICS).map(([name, { unit }]): [string, GateUnit] => [name, unit])
  expect(known.sort()).toEqual(units.sort())
})
