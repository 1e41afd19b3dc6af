import { describe, expect, it } from 'vitest'
import { pullRequestSummary } from '../../src/report/pull-request-summary.js'
import { LEVELS, MIXED_CHECKS, pipelineResult } from './pipeline-result.js'

describe('the summary of a pull request', () => {
  it('has verdict, checks, levels and failed sessions', () => {
    expect(pullRequestSummary(pipelineResult(MIXED_CHECKS))).toBe(`## floorload: gate MISSED

**minicpmo-native**: Capacity: 2 sessions at once; level 4 misses. Not shown.

| check | result | found |
| :-- | :-- | :-- |
| \`unit_miss_rate@2 < 1%\` | pass | 0% at level 2 |
| \`unit_miss_rate@2,4 < 1%\` | MISSED | 25% at level 4, not &lt; 1% |
| \`confident(unit_miss_rate@2 < 1%)\` | inconclusive | 0% at level 2, 0% to 52.7129% at 95%, which does not settle &lt; 1% |
| \`denied@8 == 0\` | not measured | level 8 is invalid: the load generator fell behind |

| level | sessions ok | unit miss | unit lag p95 / p99 | first audio p50 / p90 | meets targets |
| --: | --: | --: | --: | --: | :-- |
| 2 | 2/2 | 0% | 300 / 300 ms | - | yes |
| 4 | 4/4 | 25.0% | 300 / 300 ms | - | no: unit_miss_rate |
| 8 | 8/8 | 0% | 300 / 300 ms | - | not measured: pacing_violations |

Sessions failed: 0 of 14.
`)
  })

  it.each([
    { checks: ['denied@2 == 0'], levels: LEVELS, says: '## floorload: gate passed' },
    { checks: ['denied@16 == 0'], levels: LEVELS, says: '## floorload: gate undecided' },
    { checks: undefined, levels: LEVELS, says: '## floorload: measured, without a gate' },
    { checks: undefined, levels: LEVELS.slice(2), says: '## floorload: not measured' },
  ])('begins with $says', ({ checks, levels, says }) => {
    expect(pullRequestSummary(pipelineResult(checks, levels)).split('\n')[0]?.slice(0, says.length)).toBe(says)
  })

  it('gives text of others no markup', () => {
    const result = { ...pipelineResult(undefined), warnings: ['a|b <img> @team #1 [x](y) `c`\n# big'] }
    expect(pullRequestSummary(result)).toContain(
      '- a&#124;b &lt;img> &#64;team &#35;1 &#91;x&#93;(y) &#96;c&#96; &#35; big\n',
    )
  })
})
