import { describe, expect, it } from 'vitest'
import { jsonText } from '../../src/base/json.js'
import { parseGateExpression } from '../../src/profile/gate-expression.js'
import { gateSchema } from '../../src/profile/sweep-file.js'
import { judgeCheck } from '../../src/sweep/gate-check.js'
import { gateFileOf } from '../../src/sweep/gate-file.js'
import { type ServingResult, servingResult } from '../../src/sweep/serving-result.js'
import { analysedRuns } from '../helpers/recorded-runs.js'

const GATE = gateSchema.parse({ checks: ['denied@1 == 0'] })

async function result(): Promise<ServingResult> {
  const runs = await analysedRuns([{ name: 'concurrency-1', concurrency: 1, sessions: { one: {} } }])
  return servingResult({ runs, toolVersion: '1.2.3', gate: GATE })
}

type Json = Record<string, unknown>
const changed = async (change: (json: { levels: Json[]; gate: Json; profiles: Json[] } & Json) => void) => {
  const json = JSON.parse(jsonText(await result()))
  change(json)
  return JSON.stringify(json)
}

const read = (text: string, profile?: string) => gateFileOf(text, 'serving.json', profile)

describe('a result that is read for its gate', () => {
  it('is what was written, with the gate it was recorded under', async () => {
    const whole = await result()
    const { result: own, recordedGate } = read(jsonText(whole))
    expect(own.levels).toEqual(JSON.parse(jsonText(whole.levels)))
    expect(own.profiles).toEqual(JSON.parse(jsonText(whole.profiles)))
    expect(recordedGate).toEqual(GATE)
  })

  it.each([
    { name: 'a figure as text', change: (level: Json) => ({ ...level, unit_miss_rate: '0' }), says: 'unit_miss_rate' },
    { name: 'a number as distribution', change: (level: Json) => ({ ...level, unit_lag_s: 5 }), says: 'unit_lag_s' },
    { name: 'no count of sessions', change: ({ denied, ...level }: Json) => level, says: 'denied' },
    {
      name: 'a quality metric of no kind',
      change: (level: Json) => ({
        ...level,
        quality: { subsets: { a: { metrics: { carry_in_rate: { value: 0.1 } } } } },
      }),
      says: 'must be a share with count and n',
    },
  ])('is refused with $name', async ({ change, says }) => {
    const text = await changed((json) => {
      json.levels = json.levels.map(change)
    })
    expect(() => read(text)).toThrow(says)
  })

  it.each([
    { name: 'no JSON', text: async () => '{', code: 'RESULT_UNREADABLE' },
    {
      name: 'another schema',
      text: () => changed((json) => Object.assign(json, { schema: 'x/1' })),
      code: 'RESULT_UNREADABLE',
    },
    {
      name: 'a gate that it cannot read',
      text: () => changed((json) => Object.assign(json.gate, { gate: { checks: ['later(x) < 1'] } })),
      code: 'RESULT_UNREADABLE',
    },
  ])('is refused: $name', async ({ text, code }) => {
    const content = await text()
    expect(() => read(content)).toThrow(expect.objectContaining({ name: 'UserError', code }))
  })

  it('of several profiles asks which one', async () => {
    const text = await changed((json) => {
      json.levels.push({ ...json.levels[0], profile: 'other' })
      json.gate = null as unknown as Json
    })
    expect(() => read(text)).toThrow('several profiles (minicpmo-native, other)')
    expect(() => read(text, 'third')).toThrow('holds no profile third')
    expect(read(text, 'other').result.levels).toHaveLength(1)
    expect(read(text, 'other').recordedGate).toBeUndefined()
  })

  it('with counts that cannot be leaves a confident check open', async () => {
    const text = await changed((json) => {
      json.levels = json.levels.map((level) => ({ ...level, sessions_failed: 99 }))
    })
    const expression = parseGateExpression('confident(session_failure_rate@1 < 20%)')
    const { levels } = read(text).result
    expect(judgeCheck(expression, { levels, runs: 1, qualityCapacity: null }).verdict).toBe('inconclusive')
  })
})
