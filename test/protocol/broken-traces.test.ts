import { describe, expect, it } from 'vitest'
import { CHECKS, checksOf, titleOfCheck } from '../../src/protocol/check-catalog.js'
import { BROKEN_TRACES, type BrokenTrace } from './broken-traces.js'
import { checksIn, draftOf, judgeDraft, profileOf } from './fixtures.js'

function check(row: BrokenTrace): void {
  const { base, breakIt, admissionRetryLimit, isContinuous } = row
  const verdict = judgeDraft(base, breakIt(draftOf(base)), { admissionRetryLimit, isContinuous })
  const expected = [row.check, ...(row.implied ?? [])]
  expect(checksIn(verdict).sort(), JSON.stringify(verdict, null, 1)).toEqual(expected.sort())
  expect(verdict.status).toBe(verdict.violations.length > 0 ? 'fail' : 'pass')
  const applicable = checksOf(profileOf(row.base).protocol).map(({ id }) => id)
  for (const found of verdict.violations) {
    expect(applicable).toContain(found.check)
    expect(found.message.length).toBeGreaterThan(10)
  }
}

describe('a broken trace is named by the check it breaks, and by no other', () => {
  for (const row of BROKEN_TRACES) it(`${row.check}: ${row.name} (${row.base})`, () => check(row))
})

describe('the catalogue of checks', () => {
  it('has a failing trace for every check that can be broken', () => {
    const broken = new Set(BROKEN_TRACES.map((row) => row.check))
    const breakable = CHECKS.filter(({ effect }) => effect !== 'permits').map(({ id }) => id)
    expect(CHECKS.map(({ id }) => id).filter((id) => broken.has(id))).toEqual(breakable)
  })

  it('numbers each family of checks without a gap', () => {
    for (const [family, count] of Object.entries({ C: 9, N: 41, T: 10, L: 15, O: 12, V: 8 })) {
      const ids = CHECKS.map(({ id }) => id).filter((id) => id.startsWith(family))
      expect(ids).toEqual(Array.from({ length: count }, (_, index) => `${family}${index + 1}`))
    }
  })

  it('gives each protocol its own checks', () => {
    expect(checksOf('native').length).toBe(9 + 41)
    expect(checksOf('turn-based').length).toBe(9 + 28 + 10)
    expect(checksOf('legacy-half-duplex').length).toBe(9 + 15)
    expect(checksOf('openai-realtime').length).toBe(9 + 12)
    expect(checksOf('vllm-duplex').length).toBe(9 + 8)
  })

  it('has a title for every number and none for others', () => {
    expect(titleOfCheck('N9')).toMatch(/exactly once/)
    expect(titleOfCheck('toString')).toBeUndefined()
  })
})
