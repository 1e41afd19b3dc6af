import { describe, expect, it } from 'vitest'
import { CHECKS, checksOf } from '../../src/protocol/check-catalog.js'
import { readText } from './fixtures.js'

const rows = readText('docs/protocols.md')
  .split('\n')
  .flatMap((line) => /^\| ([CNTLOV]\d+) \| (.*) \|$/.exec(line)?.slice(1, 3) ?? [])

describe('docs/protocols.md', () => {
  it('describes every check once, in the order of the catalogue', () => {
    expect(rows.filter((_, index) => index % 2 === 0)).toEqual(CHECKS.map(({ id }) => id))
  })

  it('says of the same N checks as the code that they apply to turn-based sessions', () => {
    const shared = checksOf('turn-based')
      .map(({ id }) => id)
      .filter((id) => id.startsWith('N'))
    const documented = rows.filter((id, index) => index % 2 === 0 && / \| yes[^|]*$/.test(rows[index + 1] ?? '') && id)
    expect(documented).toEqual(shared)
  })
})
