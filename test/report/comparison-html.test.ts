import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { SessionFacts } from '../../src/metrics/session-facts.js'
import { comparisonHtml } from '../../src/report/html/comparison-report.js'
import { pageAssets, themeScript } from '../../src/report/html/page-assets.io.js'
import { compareSides } from '../../src/sweep/comparison/comparison.js'
import type { Comparison } from '../../src/sweep/comparison/comparison-result.js'
import { parseThresholds } from '../../src/sweep/comparison/thresholds.js'
import { comparedRun, comparedSide } from '../helpers/compared-sides.js'
import { factsWith } from '../helpers/measured-levels.js'
import { captureOf, numbered, pauseRow, turnRow } from '../helpers/scored-captures.js'

const STYLE = pageAssets().style
const SCRIPT = themeScript()
const EVIL = '</style></script><img src=x onerror=alert(1)>'

const sessions = (lagUs: number, count = 16): SessionFacts[] =>
  Array.from({ length: count }, (_, index) =>
    factsWith({ name: `s${index}`, lagsUs: [lagUs + 1000 * index, lagUs + 2000 * index, lagUs] }),
  )
const scored = (intrudes: boolean, latencyS: number) =>
  captureOf([
    ...numbered(40, (id, index) => pauseRow(id, intrudes && index < 20)),
    ...numbered(40, (id, index) => turnRow(id, latencyS + index / 1000)),
  ])

/** Level 1 is better, 2 the same but weakened, 4 worse and scored, 8 does not compare, 16 and 32 are on one side alone. */
const COMPARISON = compareSides({
  old: comparedSide(
    [
      comparedRun({ concurrency: 1, sessions: sessions(400_000) }),
      comparedRun({ concurrency: 2, sessions: sessions(300_000) }),
      comparedRun({ concurrency: 4, sessions: sessions(300_000), scored: scored(false, 1) }),
      comparedRun({ concurrency: 8, sessions: sessions(300_000) }),
      comparedRun({ concurrency: 16, sessions: sessions(300_000) }),
    ],
    'v1',
  ),
  new: comparedSide(
    [
      comparedRun({ concurrency: 1, sessions: sessions(300_000) }),
      comparedRun({ concurrency: 2, sessions: sessions(300_000), run: { admissionRetryLimit: 9 } }),
      comparedRun({ concurrency: 4, sessions: sessions(400_000), scored: scored(true, 1.5) }),
      comparedRun({ concurrency: 8, sessions: sessions(300_000), run: { policy: 'burst' } }),
      comparedRun({ concurrency: 32, sessions: sessions(300_000) }),
    ],
    'v2',
  ),
  thresholds: parseThresholds([]),
  toolVersion: '1.2.3',
})
const PAGE = comparisonHtml(COMPARISON, STYLE, SCRIPT)

const sectionOf = (page: string, id: string) =>
  page.match(new RegExp(`<section id="${id}"[\\s\\S]*?</section>`))?.[0] ?? ''
const ids = (page: string) => [...page.matchAll(/<section id="([\w-]+)"/g)].map(([, id]) => id)

test('the verdict comes first, then warnings, levels, method and what was compared', () => {
  expect(ids(PAGE)).toEqual([
    'comparability',
    'capacity',
    'level-0',
    'level-1',
    'level-2',
    'level-3',
    'unmatched',
    'method',
    'sides',
  ])
  expect(PAGE.indexOf('<p class="first">Worse at level 4')).toBeLessThan(PAGE.indexOf('<section'))
  for (const [, target] of PAGE.matchAll(/href="#([\w-]+)"/g)) expect(PAGE).toContain(`id="${target}"`)
})

test.each([
  ['level-0', 'Level 1: better', 'class="better"', '▼ better'],
  ['level-1', 'Level 2: no difference shown', 'class=""', '○ no difference shown'],
  ['level-2', 'Level 4: worse', 'class="worse"', '▲ worse'],
])('%s says its verdict with a sign and a word', (id, title, rowClass, mark) => {
  const section = sectionOf(PAGE, id)
  expect(section).toContain(title)
  expect(section).toMatch(new RegExp(`<tr ${rowClass}><th scope="row" class="text">unit lag p95</th>`))
  expect(section).toContain(`<span class="mark">${mark}</span>`)
})

test('every figure with an interval is drawn and said in words', () => {
  const level = COMPARISON.levels[2]
  const drawn = [
    ...(level?.metrics ?? []).filter(({ interval95 }) => interval95 !== null),
    ...(level?.quality ?? []).filter(({ worsening_bounds95: bounds }) => bounds !== null),
  ]
  expect(sectionOf(PAGE, 'level-2').match(/<svg class="interval"/g)).toHaveLength(drawn.length)
  expect(sectionOf(PAGE, 'level-2')).toContain(
    'aria-label="metric unit lag p95, old 325 ms, new 425 ms, difference +100 ms, 95% +100..+100, counts beyond 20 ms"',
  )
  expect(sectionOf(PAGE, 'level-2')).toMatch(
    /pause intrusion rate, synthetic_pause_handling<\/th>.*▲ worse.*>40 pairs</,
  )
})

test('what does not compare says why and has no figures; levels of one side are listed', () => {
  const section = sectionOf(PAGE, 'level-3')
  expect(section).toContain('Level 8: not comparable')
  expect(section).toMatch(/start policy<\/th><td class="text">pool<\/td><td class="text">burst</)
  expect(section).not.toContain('<svg')
  expect(sectionOf(PAGE, 'unmatched')).toContain('Level 16 of minicpmo-native is in OLD alone.')
  expect(sectionOf(PAGE, 'unmatched')).toContain('Level 32 of minicpmo-native is in NEW alone.')
})

test('a warning of several levels is said once, with links to them', () => {
  const section = sectionOf(PAGE, 'comparability')
  expect(section.match(/one run on each side/g)).toHaveLength(1)
  expect(section).toContain('<a href="#level-0">Level 1</a>, <a href="#level-1">Level 2</a>')
  expect(section).toContain('<a href="#level-3">Level 8</a> does not compare; what differs: start policy')
  expect(section).toContain('admission retries: 3 in OLD, 9 in NEW')
})

test('method and thresholds are those of the result', () => {
  const slack: Comparison = { ...COMPARISON, thresholds: { unit_lag: { absolute: 0.05, relative: 0.07 } } }
  const section = sectionOf(comparisonHtml(slack, STYLE, SCRIPT), 'method')
  expect(section).toMatch(/<code>unit_lag<\/code><\/th><td class="num">50 ms<\/td><td class="num">7%/)
  expect(section).not.toContain('<code>denied_rate</code>')
  expect(section).toContain(`${COMPARISON.method.resamples} draws`)
})

test('nothing runs but the theme, nothing loads, and the same comparison gives the same bytes', () => {
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest('base64')
  const script = PAGE.match(/<script>([\s\S]*?)<\/script>/)?.[1] ?? ''
  expect(script).toBe(SCRIPT)
  expect(PAGE).toContain(`script-src &#39;sha256-${hash(script)}&#39;`)
  expect(PAGE).toContain(`style-src &#39;sha256-${hash(PAGE.match(/<style>([\s\S]*?)<\/style>/)?.[1] ?? '')}&#39;`)
  expect(PAGE.match(/<script/g)).toHaveLength(1)
  expect(PAGE).not.toMatch(/ style="|https?:|<link rel="stylesheet/)
  expect(SCRIPT).not.toMatch(/\b(import|export)\b/)
  expect(comparisonHtml(COMPARISON, STYLE, SCRIPT)).toBe(PAGE)
})

test('no text of a recording becomes markup', () => {
  const [level] = COMPARISON.levels
  if (level === undefined) throw new Error('no level')
  const side = { name: EVIL, profiles: [EVIL], models: [EVIL], recorded_by: [EVIL], runs: [EVIL] }
  const page = comparisonHtml(
    {
      ...COMPARISON,
      summary: [EVIL, EVIL],
      old: side,
      new: side,
      warnings: [EVIL],
      unmatched: [{ profile: EVIL, concurrency: 1, side: 'old' }],
      levels: [
        {
          ...level,
          profile: EVIL,
          verdict: 'not comparable',
          old_runs: [EVIL],
          mismatches: [{ what: EVIL, old: EVIL, new: EVIL }],
          invalid: [EVIL],
          warnings: [EVIL],
          metrics: level.metrics.map((metric) => ({ ...metric, note: EVIL })),
        },
        level,
      ],
    },
    STYLE,
    SCRIPT,
  )
  expect(page).not.toContain('<img')
  expect(page.match(/<\/script>/g)).toHaveLength(1)
  expect(page.match(/<\/style>/g)).toHaveLength(1)
})
