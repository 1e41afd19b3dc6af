import { describe, expect, it } from 'vitest'
import { githubAnnotations } from '../../src/report/github-annotations.js'
import { MIXED_CHECKS, pipelineResult } from './pipeline-result.js'

describe('annotations of GitHub Actions', () => {
  it('are one line for each check that did not pass, misses as errors, then the capacity', () => {
    expect(githubAnnotations(pipelineResult(MIXED_CHECKS))).toEqual([
      '::error title=Gate MISSED%3A unit_miss_rate@2%2C4 < 1%25::25%25 at level 4, not < 1%25',
      '::warning title=Gate inconclusive%3A confident(unit_miss_rate@2 < 1%25)::0%25 at level 2, 0%25 to 52.7129%25 at 95%25, which does not settle < 1%25',
      '::warning title=Gate not measured%3A denied@8 == 0::level 8 is invalid: the load generator fell behind',
      '::notice title=floorload minicpmo-native::Capacity: 2 sessions at once; level 4 misses.',
    ])
  })

  it('without a gate warn of what was not measured', () => {
    expect(githubAnnotations(pipelineResult(undefined))[0]).toBe(
      '::warning title=minicpmo-native%3A level 8 was not measured::concurrency-8: pacing_violations',
    )
  })

  it('hold no line break of their text', () => {
    const result = pipelineResult(['denied@2 == 0'])
    const [profile] = result.profiles
    if (profile === undefined) throw new Error('one profile')
    const lines = githubAnnotations({ ...result, profiles: [{ ...profile, verdict: ['a\r\n::error::b%0A'] }] })
    expect(lines).toEqual(['::notice title=floorload minicpmo-native::a%0D%0A::error::b%250A'])
  })

  it('are at most ten of a kind, the last of which counts the rest', () => {
    const checks = Array.from({ length: 14 }, (_, index) => `sessions_succeeded@2 > ${index + 10}`)
    const errors = githubAnnotations(pipelineResult(checks)).filter((line) => line.startsWith('::error'))
    expect(errors).toHaveLength(10)
    expect(errors.at(-1)).toBe('::error title=and 5 more::see the log or the summary')
  })
})
