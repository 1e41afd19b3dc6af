/** Every state of the quality verdict, word for word: people act on these lines. */
import { describe, expect, it } from 'vitest'
import type { Capacity } from '../../src/sweep/capacity.js'
import { qualityResults, type ScoredCapture } from '../../src/sweep/quality-result.js'
import { qualityLines } from '../../src/sweep/quality-text.js'
import { captureOf, interruptionRow, numbered, pauseRow, turnRow } from '../helpers/scored-captures.js'

function serving(status: Capacity['status'], sessions: number | null): Capacity {
  return { status, sessions, first_missing_level: null, invalid_levels: [], meets_above: [] }
}

const pauses = (intrusions: number, of = 12) => captureOf(numbered(of, (id, index) => pauseRow(id, index < intrusions)))
const turns = (latencyS: number | null, of = 12) => captureOf(numbered(of, (id) => turnRow(id, latencyS)))
const stops = (stopS: number | null, of: number) => captureOf(numbered(of, (id) => interruptionRow(id, stopS)))

interface Case {
  readonly name: string
  readonly capacity?: Capacity
  readonly margins?: Readonly<Record<string, number>>
  /** By concurrency; undefined where a level was not scored. */
  readonly levels: readonly (readonly [concurrency: number, scores: ScoredCapture | undefined])[]
  readonly line: string
}

function linesOf({ capacity = serving('exact', 4), margins = { pause_intrusion_rate: 0.25 }, levels }: Case): string[] {
  const runs = levels.map(([concurrency, scores], index) => ({
    run: `run-${index}`,
    concurrency,
    repeat: 1,
    isValid: true,
    scores,
  }))
  const { levels: qualities, profile } = qualityResults({ runs, serving: capacity, margins, seed: 0 })
  if (profile === null) throw new Error('nothing was scored')
  return qualityLines(
    profile,
    runs.map(({ concurrency }, index) => ({ concurrency, quality: qualities[index] ?? null })),
  )
}

const CASES: readonly Case[] = [
  {
    name: 'as high as for serving',
    levels: [
      [1, pauses(0)],
      [4, pauses(0)],
    ],
    line: '4 sessions at once, as for serving: every level up to it is within the margins of level 1.',
  },
  {
    name: 'with nothing measured above',
    capacity: serving('at_least', 4),
    levels: [
      [1, pauses(0)],
      [4, pauses(0)],
    ],
    line: 'at least 4 sessions at once, as for serving: every level up to it is within the margins of level 1.',
  },
  {
    name: 'the baseline alone',
    capacity: serving('exact', 1),
    levels: [
      [1, pauses(0)],
      [4, pauses(0)],
    ],
    line: '1 session at once: the baseline itself; no higher level within the serving capacity was there to compare.',
  },
  {
    name: 'the baseline alone, and nothing above',
    capacity: serving('at_least', 2),
    levels: [[2, pauses(0)]],
    line: 'at least 2 sessions at once: the baseline itself; no higher level within the serving capacity was there to compare.',
  },
  {
    name: 'a share is worse',
    levels: [
      [1, pauses(0)],
      [4, pauses(6)],
    ],
    line: '1 session at once; level 4 is worse than level 1: pause intrusion (synthetic pause handling) 0% to 50.0% (margin 25 points, 12 pairs, p 0.016).',
  },
  {
    name: 'a latency is worse',
    margins: { response_latency_s: 0.5 },
    levels: [
      [1, turns(0.8)],
      [4, turns(null)],
    ],
    line: '1 session at once; level 4 is worse than level 1: response latency (candor turn taking) 0.80 s to not reached (margin 0.50 s, 12 pairs).',
  },
  {
    name: 'too few pairs for the margin',
    margins: { pause_intrusion_rate: 0.1 },
    levels: [
      [1, pauses(0)],
      [4, pauses(0)],
    ],
    line: 'at least 1 session at once. Not enough samples to say of level 4: pause intrusion (synthetic pause handling) unchanged, up to 18.4 points worse at 95% (margin 10 points, 12 pairs; at least 25 are needed).',
  },
  {
    name: 'enough pairs, yet open',
    levels: [
      [1, pauses(0)],
      [4, pauses(2)],
    ],
    line: 'at least 1 session at once. Not enough samples to say of level 4: pause intrusion (synthetic pause handling) 16.7 points worse, up to 39.9 points worse at 95% (margin 25 points, 12 pairs).',
  },
  {
    name: 'open below a level that is worse',
    levels: [
      [1, pauses(0)],
      [2, pauses(1)],
      [4, pauses(12)],
    ],
    line: 'at least 1 session at once. Not enough samples to say of level 2: pause intrusion (synthetic pause handling) 8.3 points worse, up to 30.1 points worse at 95% (margin 25 points, 12 pairs). Level 4 is worse than level 1: pause intrusion (synthetic pause handling) 0% to 100.0% (margin 25 points, 12 pairs, p 0.00024).',
  },
  {
    name: 'too few pairs for a median',
    margins: { stop_latency_s: 0.5 },
    levels: [
      [1, stops(0.5, 4)],
      [4, stops(0.5, 4)],
    ],
    line: 'at least 1 session at once. Not enough samples to say of level 4: stop latency (synthetic user interruption) unchanged (margin 0.50 s, 4 pairs; at least 5 are needed).',
  },
  {
    name: 'a median that is reached at neither level',
    margins: { stop_latency_s: 0.5 },
    levels: [
      [1, stops(null, 12)],
      [4, stops(null, 12)],
    ],
    line: 'at least 1 session at once. Not enough samples to say of level 4: stop latency (synthetic user interruption) is reached at neither level (margin 0.50 s, 12 pairs).',
  },
  {
    name: 'a difference without a bound',
    margins: { response_latency_s: 0.5 },
    levels: [
      [1, turns(1)],
      [4, captureOf(numbered(12, (id, index) => turnRow(id, index < 7 ? 1 : null)))],
    ],
    line: 'at least 1 session at once. Not enough samples to say of level 4: response latency (candor turn taking) unchanged, without a bound at 95% (margin 0.50 s, 12 pairs).',
  },
  {
    name: 'no margin for what was recorded',
    margins: { stop_latency_s: 0.5 },
    levels: [
      [1, pauses(0)],
      [4, pauses(0)],
    ],
    line: 'at least 1 session at once. Level 4 is open: no metric that was recorded has a margin.',
  },
  {
    name: 'a level without scores',
    levels: [
      [1, pauses(0)],
      [4, undefined],
    ],
    line: 'at least 1 session at once. Level 4 is open: it was not scored.',
  },
  {
    name: 'a level with other words',
    levels: [
      [1, pauses(0)],
      [4, captureOf(pauses(0).rows, { words: { kind: 'vad', name: 'vad', details: { kind: 'file' } } })],
    ],
    line: 'at least 1 session at once. Level 4 is open: its words or speech come from another source than the baseline’s.',
  },
  {
    name: 'the lowest level without scores',
    levels: [
      [1, undefined],
      [4, pauses(0)],
    ],
    line: 'undecided: level 1, the lowest one, was not scored.',
  },
  {
    name: 'no serving capacity',
    capacity: serving('none', null),
    levels: [[1, pauses(0)]],
    line: 'none, since the lowest level misses its serving targets.',
  },
  {
    name: 'an undecided serving capacity',
    capacity: serving('undecided', null),
    levels: [[2, pauses(0)]],
    line: 'undecided, as the serving capacity is.',
  },
]

describe('the quality verdict in words', () => {
  it.each(CASES)('$name', (one) => {
    expect(linesOf(one)).toEqual([
      `Quality capacity: ${one.line}`,
      'Quality counts speech segments as words: a definition of its own, not comparable with transcript scores.',
    ])
  })
})
