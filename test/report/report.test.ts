import { describe, expect, it } from 'vitest'
import type { LevelRow } from '../../src/metrics/level-row.js'
import { markdownTable, terminalTable } from '../../src/report/level-table.js'
import { servingMarkdown } from '../../src/report/serving-markdown.js'
import { terminalReport } from '../../src/report/terminal-report.js'
import type { ServingLevel, ServingResult } from '../../src/sweep/serving-result.js'
import {
  deniedFacts,
  factsWith,
  invalidRow,
  missingRow,
  rowOf,
  rowWith,
  TURN_BASED,
} from '../helpers/measured-levels.js'

const ESCAPE = '\u001b'
const PLAIN = { colour: false, width: undefined }
const COLOURED = { colour: true, width: undefined }

function levelOf(row: LevelRow, changes: Partial<ServingLevel> = {}): ServingLevel {
  return {
    run: `concurrency-${row.concurrency}`,
    repeat: 1,
    ...row,
    start_policy: 'pool',
    phases: 'spread',
    senders: 1,
    headroom: null,
    recording_complete: true,
    work_drops: [],
    client_stall_ms: null,
    load_generator: null,
    failed_sessions: [],
    inputs_sha256: '0',
    quality: null,
    server_metrics: null,
    ...changes,
  }
}

function resultOf(levels: readonly ServingLevel[], changes: Partial<ServingResult> = {}): ServingResult {
  return {
    schema: 'floorload.serving/1',
    tool: { name: 'floorload', version: '1.2.3' },
    definitions: 'floorload-metrics-1',
    profiles: [
      {
        profile: 'minicpmo-native',
        targets: { unit_miss_rate_max: 0.01, rtf_p90_below: 1 },
        capacity: { status: 'exact', sessions: 2, first_missing_level: 4, invalid_levels: [], meets_above: [] },
        repeats: [],
        quality: null,
        verdict: ['Capacity: 2 sessions at once.', 'Not shown.'],
      },
    ],
    levels,
    gate: null,
    warnings: [],
    ...changes,
  }
}

const turnBasedRow = rowOf([factsWith({ unitsExpected: null, units: [] })], { profile: TURN_BASED })
const LEVELS = [
  levelOf(rowWith({ concurrency: 1 })),
  levelOf(rowWith({ concurrency: 2 }), { repeat: 2 }),
  levelOf(missingRow(4, { denied: 1, admission_retries: 3, missed_targets: ['denied', 'unit_miss_rate'] })),
  levelOf(invalidRow(8)),
  levelOf(rowOf([deniedFacts()], { concurrency: 16 })),
]

const cellsOf = (line: string | undefined) =>
  (line ?? '')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

describe('the table as Markdown', () => {
  const NATIVE_COLUMNS = [
    ...['concurrency', 'sessions ok', 'mean open', 'peak full', 'failed', 'denied', 'pacing viol.', 'unit miss'],
    ...['unit lag ms p50 p90 p95 p99 max', 'first audio ms p50 p90 p99', 'buffer needed ms p50 p90 p99 max'],
    ...['underrun replies', 'meets targets'],
  ]

  it('has the columns of docs/metrics.md, section 7, and as many cells in every row', () => {
    const [head, rule, ...rows] = markdownTable(LEVELS).split('\n')
    expect(cellsOf(head)).toEqual(NATIVE_COLUMNS)
    expect(cellsOf(rule).every((cell) => /^:?--:?$/.test(cell))).toBe(true)
    expect(rows).toHaveLength(LEVELS.length)
    for (const row of rows) expect(cellsOf(row)).toHaveLength(NATIVE_COLUMNS.length)
  })

  it.each([
    { column: 'concurrency', cells: ['1', '2 r2', '4', '8', '16'] },
    { column: 'sessions ok', cells: ['1/1', '2/2', '4/4', '8/8', '0/1'] },
    { column: 'mean open', cells: ['1.00', '2.00', '4.00', '8.00', '-'] },
    { column: 'denied', cells: ['0', '0', '1 (3)', '0', '1'] },
    { column: 'unit miss', cells: ['0/2 0%', '0/4 0%', '100/400 25.0%', '0/16 0%', '2/2 100.0%'] },
    {
      column: 'unit lag ms p50 p90 p95 p99 max',
      cells: ['250 290 295 299 300', ...Array<string>(3).fill('250 300 300 300 300'), '-'],
    },
    { column: 'first audio ms p50 p90 p99', cells: Array<string>(5).fill('-') },
    { column: 'underrun replies', cells: Array<string>(5).fill('0/0') },
    {
      column: 'meets targets',
      cells: ['yes', 'yes', 'no: denied, unit miss', 'invalid, pacing', 'no: failed, denied, unit miss'],
    },
  ])('$column: $cells', ({ column, cells }) => {
    const [head, , ...rows] = markdownTable(LEVELS).split('\n')
    const index = cellsOf(head).indexOf(column)
    expect(rows.map((row) => cellsOf(row)[index])).toEqual(cells)
  })

  it('of turn-based levels has a real-time factor and no unit columns', () => {
    const rtf = { n: 9, p50: 0.5, p90: 0.757, p95: 0.8, p99: 0.9, max: 1 }
    const [head, , first, second] = markdownTable([levelOf({ ...turnBasedRow, rtf }), levelOf(turnBasedRow)]).split(
      '\n',
    )
    expect(cellsOf(head)).toContain('RTF p90')
    expect(cellsOf(head).filter((title) => title.startsWith('unit'))).toEqual([])
    const index = cellsOf(head).indexOf('RTF p90')
    expect([cellsOf(first)[index], cellsOf(second)[index]]).toEqual(['0.76', '-'])
  })

  it('of mixed levels names the profile, and shows - where a figure does not apply', () => {
    const [head, , native, turnBased] = markdownTable([levelOf(rowWith()), levelOf(turnBasedRow)]).split('\n')
    expect(cellsOf(head)[0]).toBe('profile')
    const at = (line: string | undefined, column: string) => cellsOf(line)[cellsOf(head).indexOf(column)]
    expect(at(native, 'RTF p90')).toBe('-')
    expect(at(turnBased, 'unit miss')).toBe('-')
  })
})

describe('the table of a terminal', () => {
  it('is plain text without colour, and the same text with it', () => {
    const plain = terminalTable(LEVELS, PLAIN)
    const coloured = terminalTable(LEVELS, COLOURED)
    expect(plain).not.toContain(ESCAPE)
    expect(coloured).toContain(ESCAPE)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is taken away
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(plain)
  })

  it.each([
    'mean',
    'peak',
    'unit miss',
    'unit lag ms',
    'first audio ms',
    'buffer needed ms',
    'underrun',
    'pacing',
    'denied',
  ])('has a column %s', (title) => {
    expect(terminalTable(LEVELS, PLAIN)).toContain(title)
  })

  it('stands upright, a level per column, where the wide one does not fit', () => {
    const wide = terminalTable(LEVELS, PLAIN)
    const widthOf = (text: string) => Math.max(...text.split('\n').map((line) => line.length))
    const upright = terminalTable(LEVELS, { ...PLAIN, width: widthOf(wide) - 1 })
    expect(terminalTable(LEVELS, { ...PLAIN, width: widthOf(wide) })).toBe(wide)
    expect(widthOf(upright)).toBeLessThan(widthOf(wide))
    const lagLine = upright.split('\n').find((line) => line.includes('unit lag p95 ms'))
    expect(lagLine?.split(/[│|]/).map((cell) => cell.trim())).toEqual([
      '',
      'unit lag p95 ms',
      '295',
      '300',
      '300',
      '300',
      '-',
      '',
    ])
    expect(upright).not.toContain(ESCAPE)
  })

  it('never shows a value that is none', () => {
    expect(terminalTable([...LEVELS, levelOf(rowOf([])), levelOf(turnBasedRow)], PLAIN)).not.toMatch(
      /NaN|undefined|null|Infinity/,
    )
  })
})

describe('the report of a terminal', () => {
  it('has table, verdict, gate and warnings, in this order', () => {
    const gate = {
      gate: { min_capacity: 4, rule: 'targets', runs: 1, confident: false },
      verdict: 'fail',
      reason: 'too low',
      checks: [],
    } as const
    const text = terminalReport(resultOf(LEVELS, { gate, warnings: ['mind this'] }), PLAIN)
    const places = [
      'unit miss',
      'Capacity: 2 sessions at once.',
      'Not shown.',
      'Gate: fail (too low)',
      'warning: mind this',
    ]
    const found = places.map((part) => text.indexOf(part))
    expect(found.every((place) => place >= 0)).toBe(true)
    expect([...found].sort((a, b) => a - b)).toEqual(found)
    expect(text).not.toContain(ESCAPE)
  })

  it('without a level says so', () => {
    expect(terminalReport(resultOf([], { profiles: [] }), PLAIN)).toBe('No level was measured.')
  })

  it('names each profile where there are several', () => {
    const [profile] = resultOf([]).profiles
    if (profile === undefined) throw new Error('one profile')
    const profiles = [profile, { ...profile, profile: 'turn-based' }]
    const text = terminalReport(resultOf(LEVELS, { profiles }), PLAIN)
    expect(text).toContain('minicpmo-native: Capacity:')
    expect(text).toContain('turn-based: Capacity:')
  })
})

describe('SERVING.md', () => {
  const failed = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      session: `s${index}`,
      denied: index === 0,
      reasons: ['N9 no answer', 'N14 lost'],
      reasons_total: 2,
      trace: `samples/s${index}/continuous.jsonl`,
    }))

  it('begins with the verdict and holds every table whole', () => {
    const text = servingMarkdown(resultOf(LEVELS))
    expect(text.split('\n').slice(0, 3)).toEqual([
      '# Serving capacity',
      '',
      '**minicpmo-native**: Capacity: 2 sessions at once.',
    ])
    const tables = text.split(/\n{2,}/).filter((block) => block.startsWith('|'))
    expect(tables).toHaveLength(3)
    for (const table of tables) {
      const widths = table.split('\n').map((line) => cellsOf(line).length)
      expect(new Set(widths).size).toBe(1)
    }
    expect(text).not.toMatch(/NaN|undefined|null|Infinity/)
    expect(text).not.toContain(ESCAPE)
  })

  it('names sessions that failed with their trace, and counts those it does not name', () => {
    const text = servingMarkdown(resultOf([levelOf(missingRow(4), { failed_sessions: failed(22) })]))
    expect(text).toContain(
      '- level 4, s0 (denied): N9 no answer (and 1 more); trace `concurrency-4/samples/s0/continuous.jsonl`',
    )
    expect(text.match(/^- level 4, /gm)).toHaveLength(20)
    expect(text).toContain('- and 2 more, all in serving.json')
  })

  it('shows figures of the generator as - where they were not recorded', () => {
    const text = servingMarkdown(resultOf([levelOf(rowOf([deniedFacts()]))]))
    expect(text).toContain('| 1 | - | - | - | - | - | - | - | - |')
  })

  it('has no table of confidence for turn-based levels', () => {
    expect(servingMarkdown(resultOf([levelOf(turnBasedRow)]))).not.toContain('## How sure')
  })
})
