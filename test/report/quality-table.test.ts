import { describe, expect, it } from 'vitest'
import type { LevelComparison, MetricVerdict } from '../../src/quality/pairing/level-comparison.js'
import type {
  LatencyMetric,
  ShareMetric,
  SubsetScores,
  UnifiedMetric,
} from '../../src/quality/unified/unified-result.js'
import { hasQuality, qualityColumns, qualityMarkdown, qualityTable } from '../../src/report/quality-table.js'
import type { LevelQuality } from '../../src/sweep/quality-result.js'
import type { ServingLevel } from '../../src/sweep/serving-result.js'
import { factsWith, rowOf } from '../helpers/measured-levels.js'
import { captureOf } from '../helpers/scored-captures.js'

const PLAIN = { colour: false, width: undefined }

type Quality = LevelQuality | null

function levelWith(concurrency: number, quality: Quality, changes: Partial<ServingLevel> = {}): ServingLevel {
  return {
    run: `concurrency-${concurrency}`,
    repeat: 1,
    ...rowOf([factsWith()], { concurrency }),
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
    quality,
    server_metrics: null,
    ...changes,
  }
}

function qualityOf(
  metrics: Readonly<Record<string, Readonly<Record<string, UnifiedMetric>>>>,
  options: { readonly verdict?: MetricVerdict; readonly eligible?: number } = {},
): LevelQuality {
  const { verdict, eligible = 12 } = options
  const { definitions, words, speech, manifest_sha256, asr_sha256 } = captureOf([]).result
  const against: LevelComparison | null = verdict === undefined ? null : { subsets: {}, metrics: [], verdict }
  const counts = { declared: 12, selected: 12, eligible, ineligible: 12 - eligible, ineligible_reasons: {} }
  const subsets = Object.entries(metrics).map(([subset, own]): [string, SubsetScores] => [
    subset,
    { counts, coverage: eligible / 12, metrics: own },
  ])
  return {
    definitions,
    words,
    speech,
    manifest_sha256,
    asr_sha256,
    subsets: Object.fromEntries(subsets),
    against_baseline: against,
  }
}

function share(
  value: number | null,
  interval: ShareMetric['interval'] = value === null ? null : [0, 0.5],
): ShareMetric {
  return { value, interval, count: 0, n: 12, selected_bounds: [0, 1] }
}

function latency(value: LatencyMetric['value'], interval: LatencyMetric['interval'] = null): LatencyMetric {
  return { value, interval, p90: value, n: 12 }
}

const PAUSES = { synthetic_pause_handling: { pause_intrusion_rate: share(0.25) } }

/** The cells of a row by column title. */
function cellsOf(rows: readonly ServingLevel[], row = rows[0] as ServingLevel): Record<string, string> {
  return Object.fromEntries(qualityColumns(rows).map(({ title, cell }) => [title, cell(row)]))
}

describe('quality columns', () => {
  it('are those of the metrics that some level has, each figure with its interval', () => {
    const quality = qualityOf(
      {
        ...PAUSES,
        candor_turn_taking: {
          early_start_rate: share(0),
          response_rate_2s: share(1, [0.76, 1]),
          response_latency_s: latency(1.12, [1.08, 1.5]),
        },
        synthetic_user_interruption: {
          exercised_rate: share(0.9),
          response_rate_2s: share(0.5),
          stop_latency_s: latency(0.64, [0.5, 'not_reached']),
        },
      },
      { eligible: 8 },
    )
    expect(cellsOf([levelWith(2, quality)])).toEqual({
      concurrency: '2',
      'windows scored': '24/36',
      'pause intrusion': '25.0%\n0-50',
      'early starts': '0%\n0-50',
      'response 2 s': '100.0%\n76-100',
      'latency s': '1.12\n1.08-1.50',
      'interrupted speech': '90.0%\n0-50',
      'reply 2 s': '50.0%\n0-50',
      'stop s': '0.64\n0.50-never',
      'against level 2': 'baseline',
    })
  })

  it('keep two subsets of one task apart', () => {
    const quality = qualityOf({ ...PAUSES, candor_pause_handling: { pause_intrusion_rate: share(0.5) } })
    expect(cellsOf([levelWith(2, quality)])).toMatchObject({
      'pause intrusion synthetic': '25.0%\n0-50',
      'pause intrusion candor': '50.0%\n0-50',
    })
  })

  it('say where a median is not reached, and where there is no data', () => {
    const of = (metric: LatencyMetric) => qualityOf({ candor_turn_taking: { response_latency_s: metric } })
    const rows = [levelWith(1, of(latency('not_reached'))), levelWith(2, of(latency(null))), levelWith(4, null)]
    expect(rows.map((row) => cellsOf(rows, row)['latency s'])).toEqual(['never', '-', '-'])
    expect(cellsOf([levelWith(1, qualityOf({ candor_turn_taking: { early_start_rate: share(null) } }))])).toMatchObject(
      {
        'early starts': '-',
      },
    )
  })

  it.each<{ name: string; rows: readonly ServingLevel[]; title: string; cells: readonly string[] }>([
    {
      name: 'by verdict',
      rows: [
        levelWith(1, qualityOf(PAUSES)),
        levelWith(2, qualityOf(PAUSES, { verdict: 'within' })),
        levelWith(4, qualityOf(PAUSES, { verdict: 'not_enough_samples' })),
        levelWith(8, qualityOf(PAUSES, { verdict: 'worse' })),
        levelWith(16, null),
      ],
      title: 'against level 1',
      cells: ['baseline', 'holds', 'open', 'worse', '-'],
    },
    {
      name: 'with an invalid lowest level, which is no baseline',
      rows: [
        levelWith(1, qualityOf(PAUSES), { valid: false }),
        levelWith(2, qualityOf(PAUSES)),
        levelWith(2, qualityOf(PAUSES), { repeat: 2, valid: false }),
      ],
      title: 'against level 2',
      cells: ['-', 'baseline', '-'],
    },
    {
      name: 'of two profiles, each with its own',
      rows: [
        levelWith(1, qualityOf(PAUSES)),
        levelWith(2, qualityOf(PAUSES), { profile: 'other' }),
        levelWith(4, qualityOf(PAUSES, { verdict: 'worse' }), { profile: 'other' }),
      ],
      title: 'against lowest level',
      cells: ['baseline', 'baseline', 'worse'],
    },
    {
      name: 'without any valid level',
      rows: [levelWith(1, qualityOf(PAUSES), { valid: false })],
      title: 'against lowest level',
      cells: ['-'],
    },
  ])('compare with the baseline: $name', ({ rows, title, cells }) => {
    expect(qualityColumns(rows).at(-1)?.title).toBe(title)
    expect(rows.map((row) => qualityColumns(rows).at(-1)?.cell(row))).toEqual(cells)
  })
})

describe('the quality table', () => {
  const rows = [levelWith(2, qualityOf(PAUSES)), levelWith(4, qualityOf(PAUSES, { verdict: 'worse' }))]

  it('stands upright where it is wider than the terminal', () => {
    const wide = qualityTable(rows, PLAIN)
    const width = Math.max(...wide.split('\n').map(({ length }) => length))
    expect(qualityTable(rows, { colour: false, width })).toBe(wide)
    const upright = qualityTable(rows, { colour: false, width: width - 1 })
    const first = upright.split('\n').map((line) => line.split('│')[1]?.trim())
    expect(first.filter((cell) => cell !== undefined && cell !== '')).toEqual([
      'concurrency',
      'windows scored',
      'pause intrusion',
      'against level 2',
    ])
    expect(upright).toContain('worse')
  })

  it('has one line for each level in Markdown', () => {
    expect(qualityMarkdown(rows).split('\n')).toEqual([
      '| concurrency | windows scored | pause intrusion | against level 2 |',
      '| --: | --: | --: | :-- |',
      '| 2 | 12/12 | 25.0% 0-50 | baseline |',
      '| 4 | 12/12 | 25.0% 0-50 | worse |',
    ])
  })

  it('is for sweeps that were scored', () => {
    expect(hasQuality([levelWith(1, null)])).toBe(false)
    expect(hasQuality(rows)).toBe(true)
  })
})
