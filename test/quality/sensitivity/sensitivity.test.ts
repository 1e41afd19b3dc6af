import { describe, expect, it } from 'vitest'
import { type Spread, sensitivity, spreadFinding } from '../../../src/quality/sensitivity/sensitivity.js'
import { renderSensitivity } from '../../../src/quality/sensitivity/sensitivity-table.js'
import { ineligibleRow, type Measured, pauseRow, scoredSource, turnRow } from './scored-sources.js'

const NOT = 'not_reached' as const
const FINDINGS: [string, Measured[], Spread, Spread, boolean | null][] = [
  [
    'within the interval',
    [
      [0.2, [0.1, 0.3]],
      [0.3, [0.2, 0.4]],
    ],
    0.1,
    0.2,
    false,
  ],
  [
    'as far as the interval is wide',
    [
      [0.1, [0, 0.2]],
      [0.3, [0.2, 0.4]],
    ],
    0.2,
    0.2,
    false,
  ],
  [
    'further',
    [
      [0.1, [0.05, 0.2]],
      [0.9, [0.8, 0.95]],
      [0.5, [0.4, 0.6]],
    ],
    0.8,
    0.2,
    true,
  ],
  [
    'no different at all',
    [
      [0, [0, 0]],
      [0, [0, 0]],
    ],
    0,
    0,
    false,
  ],
  [
    'different without a width',
    [
      [0, [0, 0]],
      [1, [1, 1]],
    ],
    1,
    0,
    true,
  ],
  [
    'one value',
    [
      [0.1, [0, 0.2]],
      [null, null],
    ],
    null,
    0.2,
    null,
  ],
  [
    'no value',
    [
      [null, null],
      [null, null],
    ],
    null,
    null,
    null,
  ],
  [
    'no interval',
    [
      [1, null],
      [2, null],
    ],
    1,
    null,
    null,
  ],
  [
    'nobody reaches it',
    [
      [NOT, [NOT, NOT]],
      [NOT, [1, NOT]],
    ],
    0,
    'unbounded',
    false,
  ],
  [
    'some reach it, all intervals end',
    [
      [1, [0.5, 1.5]],
      [NOT, [NOT, NOT]],
    ],
    'unbounded',
    1,
    true,
  ],
  [
    'some reach it, an interval has no end',
    [
      [1, [0.5, NOT]],
      [NOT, [2, NOT]],
    ],
    'unbounded',
    'unbounded',
    null,
  ],
  [
    'far apart within an interval without an end',
    [
      [1, [0.5, NOT]],
      [9, [8, 10]],
    ],
    8,
    'unbounded',
    false,
  ],
]

describe('spreadFinding', () => {
  it.each(FINDINGS)('%s', (_, measured, spread, widest, exceeds) => {
    expect(spreadFinding(measured.map(([value, interval]) => ({ value, interval })))).toEqual({
      spread,
      widest_interval: widest,
      exceeds_interval: exceeds,
    })
  })
})

describe('sensitivity', () => {
  const PAUSES = 'synthetic_pause_handling'
  const whisper = scoredSource('whisper', {
    [PAUSES]: { pause_intrusion_rate: [0.856, [0.8, 0.9]], any: [0.5, [0.4, 0.6]] },
  })
  const cloud = scoredSource('cloud', {
    [PAUSES]: { pause_intrusion_rate: [0.111, [0.07, 0.17]], any: [0.52, [0.4, 0.6]] },
  })
  const vad = scoredSource('vad', { [PAUSES]: { pause_intrusion_rate: [0.5, [0.4, 0.6]], any: [0.99, [0.9, 1]] } })

  it('flags the metric that moves further than its interval', () => {
    const { metrics } = sensitivity([whisper, cloud])
    expect(metrics).toMatchObject([
      {
        metric: 'pause_intrusion_rate',
        values: [0.856, 0.111],
        spread: 0.745,
        widest_interval: 0.1,
        exceeds_interval: true,
      },
      { metric: 'any', spread: 0.02, exceeds_interval: false },
    ])
    expect(metrics[0]).not.toHaveProperty('with_vad')
  })

  it('leaves speech segments out of spread and flag, and marks them', () => {
    const report = sensitivity([whisper, vad, cloud])
    expect(report.sources.map(({ is_own_definition: isOwn }) => isOwn)).toEqual([false, true, false])
    expect(report.metrics[1]).toMatchObject({
      values: [0.5, 0.99, 0.52],
      spread: 0.02,
      exceeds_interval: false,
      with_vad: { spread: 0.49, widest_interval: 0.2, exceeds_interval: true },
    })
    expect(sensitivity([whisper, vad]).metrics[0]).toMatchObject({ spread: null, exceeds_interval: null })
  })

  it('tells sources of one name apart, and refuses two captures', () => {
    expect(sensitivity([whisper, whisper, cloud]).sources.map(({ name }) => name)).toEqual([
      'whisper',
      'whisper#2',
      'cloud',
    ])
    const other = { ...cloud, result: { ...cloud.result, manifest_sha256: 'b'.repeat(64) } }
    expect(() => sensitivity([whisper, other])).toThrow(/one capture/)
  })

  it('counts samples judged differently, of those that both judge', () => {
    const a = scoredSource('a', {}, [
      pauseRow('1', { intrusion: true }),
      pauseRow('2', { intrusion: false }),
      turnRow('1', 'response'),
      turnRow('2', 'no_response'),
      turnRow('3', 'response'),
    ])
    const b = scoredSource('b', {}, [
      pauseRow('1', { intrusion: false, speech: true }),
      pauseRow('2', { intrusion: false }),
      turnRow('1', 'early_start'),
      turnRow('2', 'no_response'),
      ineligibleRow('3'),
    ])
    const { disagreements } = sensitivity([a, b])
    const told = disagreements.map(({ subset, what, differ, n }) => [subset.split('_')[0], what, differ, n])
    expect(told).toEqual([
      ['synthetic', 'pause_intrusion', 1, 2],
      ['synthetic', 'inside_pause_onset', 0, 2],
      ['synthetic', 'pre_pause_speech', 0, 2],
      ['synthetic', 'carry_in', 0, 2],
      ['synthetic', 'any_speech', 0, 2],
      ['candor', 'outcome', 1, 2],
    ])
  })

  it('is printed with its flags and what they mean', () => {
    const rows = [pauseRow('1', { intrusion: true })]
    const text = renderSensitivity(sensitivity([{ ...whisper, rows }, vad, { ...cloud, rows }]), { colour: false })
    expect(text).toMatch(/pause_intrusion_rate.*0\.856 \[0\.800, 0\.900\].*0\.745.*0\.100.*SENSITIVE/)
    expect(text).toContain('vad *')
    expect(text).toContain('1 of 2 metrics move further between the sources of words than their interval is wide:')
    expect(text).toContain('* speech segments counted as words: a definition of its own')
    expect(text).toMatch(/whisper \/ cloud.*pause_intrusion.*0.*1/)
    expect(text).not.toContain('\u001b')
  })
})
