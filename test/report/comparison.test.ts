import { expect, test } from 'vitest'
import { comparisonMarkdown } from '../../src/report/comparison-markdown.js'
import { terminalComparison } from '../../src/report/comparison-table.js'
import { compareSides } from '../../src/sweep/comparison/comparison.js'
import { parseThresholds } from '../../src/sweep/comparison/thresholds.js'
import { comparedRun, comparedSide } from '../helpers/compared-sides.js'
import { factsWith } from '../helpers/measured-levels.js'

const sideOf = (lagUs: number, name: string) =>
  comparedSide(
    [
      comparedRun({
        sessions: Array.from({ length: 16 }, (_, index) =>
          factsWith({ name: `s${index}`, lagsUs: [lagUs + 1000 * index, lagUs + 2000 * index, lagUs] }),
        ),
      }),
    ],
    name,
  )
const COMPARISON = compareSides({
  old: sideOf(300_000, 'v1'),
  new: sideOf(400_000, 'v2'),
  thresholds: parseThresholds([]),
  toolVersion: '1.2.3',
})

test('the verdict stands first, in its colour; without colour there is no escape code', () => {
  const plain = terminalComparison(COMPARISON, { colour: false, width: undefined })
  expect(plain).toMatch(/^Worse at level 4: unit lag p50 305 → 405 ms \(\+100, 95% \+\d+\.\.\+\d+\);/)
  expect(plain).toMatch(/│ unit lag p95 +│ 325 ms │ 425 ms │ +\+100 ms │ .* │ worse +│/)
  expect(plain).not.toContain('\u001b')
  expect(terminalComparison(COMPARISON, { colour: true, width: undefined })).toContain('\u001b[31mworse')
})

test.each([200, 110, 100, 80])('the table fits into %i columns', (width) => {
  const table = terminalComparison(COMPARISON, { colour: false, width })
    .split('\n')
    .filter((line) => /^[┌│├└]/.test(line))
  expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(width)
  expect(table.join('\n')).toContain('verdict')
})

test('Markdown has the same cells, and says what the words mean', () => {
  const markdown = comparisonMarkdown(COMPARISON)
  expect(markdown).toContain('## Level 4: worse')
  expect(markdown).toMatch(/\| unit lag p95 \| 325 ms \| 425 ms \| \+100 ms \| .* \| worse \|/)
  expect(markdown).toContain('OLD is `v1` (minicpmo-native); NEW is `v2` (minicpmo-native).')
  expect(markdown).toContain('*no difference shown*: not that there is none.')
})
