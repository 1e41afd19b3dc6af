import { expect, test } from 'vitest'
import { comparisonMarkdown } from '../../src/report/comparison-markdown.js'
import { terminalComparison } from '../../src/report/comparison-table.js'
import { comparisonHtml } from '../../src/report/html/comparison-report.js'
import { intervalPlot } from '../../src/report/html/interval-plot.js'
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

test('the page has the same cells, draws the intervals, and neither loads nor runs anything', () => {
  const page = comparisonHtml(COMPARISON, ':root { --accent: blue; }')
  expect(page).toContain('Level 4: worse')
  expect(page).toMatch(/<tr class="worse"><th scope="row" class="text">unit lag p95<\/th>/)
  expect(page).toContain('▲ worse')
  expect(page.match(/<svg class="interval"/g)?.length).toBeGreaterThan(3)
  expect(page).toMatch(/Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/)
  expect(page).not.toMatch(/<script|style="|https?:/)
  expect(comparisonHtml(COMPARISON, ':root { --accent: blue; }')).toBe(page)
})

test('names of folders cannot become markup', () => {
  const evil = '<img src=x onerror=alert(1)>'
  const page = comparisonHtml({ ...COMPARISON, old: { ...COMPARISON.old, name: evil }, warnings: [evil] }, '')
  expect(page).not.toContain('<img')
  expect(page).toContain('&lt;img src=x')
})

test('an interval without an end is not drawn', () => {
  const plotted = { difference: 1, interval: [0.5, 1.5] as const, threshold: 0.2, label: 'x' }
  expect(intervalPlot({ ...plotted, interval: null })).toBeNull()
  expect(intervalPlot({ ...plotted, interval: [Number.NEGATIVE_INFINITY, 1] })).toBeNull()
  const circle = (difference: number) => intervalPlot({ ...plotted, difference })?.text.match(/cx="([\d.]+)"/)?.[1]
  expect(Number(circle(0))).toBe(90)
  expect(Number(circle(1))).toBeGreaterThan(90)
  expect(Number(circle(-1))).toBeLessThan(90)
  expect(intervalPlot({ difference: 0, interval: [0, 0], threshold: null, label: 'x' })?.text).not.toContain('NaN')
})
