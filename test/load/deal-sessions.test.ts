import { describe, expect, test } from 'vitest'
import { dealSessions, senderCount } from '../../src/load/deal-sessions.js'
import type { LevelPlan } from '../../src/load/level-plan.js'

function plan(changes: { policy: LevelPlan['policy']; concurrency: number; lengths: readonly number[] }): LevelPlan {
  const { policy, concurrency, lengths } = changes
  // Only these parts of a plan decide how it is dealt.
  return {
    policy,
    concurrency,
    startSeed: 'seed',
    profile: { unit_ms: 1000, input: { sample_rate_hz: 16_000 } },
    inputs: lengths.map((samples, index) => ({ file: `${index}.pcm`, sha256: '', samples })),
    sessions: lengths.map((_, inputIndex) => ({ directory: `samples/${inputIndex}`, inputIndex })),
  } as unknown as LevelPlan
}

const sessionsOf = (shares: ReturnType<typeof dealSessions>) => shares.map(({ sessions }) => sessions)

describe('the number of senders', () => {
  test.each([
    { choice: 'auto' as const, concurrency: 8, cores: 16, senders: 1 },
    { choice: 'auto' as const, concurrency: 400, cores: 16, senders: 1 },
    { choice: 'auto' as const, concurrency: 401, cores: 16, senders: 2 },
    { choice: 'auto' as const, concurrency: 100_000, cores: 16, senders: 15 },
    { choice: 'auto' as const, concurrency: 5000, cores: 1, senders: 1 },
    { choice: 3, concurrency: 8, cores: 2, senders: 3 },
    { choice: 3, concurrency: 2, cores: 2, senders: 2 },
  ])('$choice for $concurrency sessions on $cores cores is $senders', ({ choice, concurrency, cores, senders }) => {
    expect(senderCount(choice, concurrency, cores)).toBe(senders)
  })
})

describe('a pool', () => {
  test('is dealt so that senders run dry together, whatever the order of lengths', () => {
    const lengths = [1, 5, 1, 5, 1, 5, 1, 5].map((seconds) => seconds * 16_000)
    const shares = dealSessions(plan({ policy: 'pool', concurrency: 2, lengths }), 2)
    // Slot 0 is free first again and again while slot 1 holds a long one.
    expect(sessionsOf(shares)).toEqual([
      [0, 2, 3, 6, 7],
      [1, 4, 5],
    ])
  })

  test('with one sender keeps its order', () => {
    const shares = dealSessions(plan({ policy: 'pool', concurrency: 3, lengths: [9, 1, 4, 7, 2] }), 1)
    expect(shares).toEqual([{ sender: 0, senders: 1, slots: 3, sessions: [0, 1, 2, 3, 4] }])
  })

  test('gives every session to one sender, and to nobody twice', () => {
    const lengths = Array.from({ length: 101 }, (_, index) => 1 + ((index * 37) % 17))
    const shares = dealSessions(plan({ policy: 'pool', concurrency: 10, lengths }), 3)
    expect(shares.map(({ slots }) => slots)).toEqual([4, 3, 3])
    expect(
      sessionsOf(shares)
        .flat()
        .sort((a, b) => a - b),
    ).toEqual(lengths.map((_, index) => index))
  })
})

test('waves are dealt slot by slot, so that every sender has its part of each', () => {
  const shares = dealSessions(plan({ policy: 'aligned', concurrency: 3, lengths: Array(7).fill(16_000) }), 2)
  expect(shares).toEqual([
    { sender: 0, senders: 2, slots: 2, sessions: [0, 2, 3, 5, 6] },
    { sender: 1, senders: 2, slots: 1, sessions: [1, 4] },
  ])
})

test('arrivals go round, each with its time', () => {
  const whole = dealSessions(plan({ policy: 'poisson', concurrency: 2, lengths: Array(5).fill(16_000) }), 1)
  const parts = dealSessions(plan({ policy: 'poisson', concurrency: 2, lengths: Array(5).fill(16_000) }), 2)
  expect(sessionsOf(parts)).toEqual([
    [0, 2, 4],
    [1, 3],
  ])
  const all = whole[0]?.arrivalsUs ?? []
  expect(parts.map(({ arrivalsUs }) => arrivalsUs)).toEqual([
    [all[0], all[2], all[4]],
    [all[1], all[3]],
  ])
})

test('a sender without a session is none', () => {
  expect(dealSessions(plan({ policy: 'pool', concurrency: 4, lengths: [1, 1] }), 4)).toHaveLength(2)
})
