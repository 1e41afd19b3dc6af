/** What must hold for every script, whatever the server sends and in whatever order things happen. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shippedProfiles } from '../../src/profile/load-profile.io.js'
import { driverOf } from '../../src/protocol/registry.js'
import type { ScriptInput } from '../../src/protocol/script.js'
import { anyInputs, checkAlways, received } from '../helpers/script-table.js'

const TYPES = [
  ...['session.created', 'session.updated', 'session.closed', 'sglang.input_audio.drained', 'error'],
  ...['response.created', 'response.done', 'response.output_audio.delta', 'response.audio.delta'],
  'input_audio_buffer.speech_started',
]

const GOOD: readonly ScriptInput[] = [
  { kind: 'opened' },
  ...TYPES.filter((type) => type !== 'error').map((type) => received(type)),
  received('response.created', { response: { id: 'one' } }),
  received('response.done', { response: { id: 'one' } }),
  { kind: 'input_sent' },
  { kind: 'waited', name: 'any' },
  { kind: 'closed', code: 1000, reason: '' },
  { kind: 'leave' },
]

const profiles = await shippedProfiles()

describe.each(profiles)('the script of $name', (profile) => {
  const create = () => driverOf(profile).createScript(profile)

  test('survives any sequence of inputs, asks for nothing once it parts, and ends once for each close', () => {
    fc.assert(
      fc.property(anyInputs(GOOD, TYPES), (inputs) => checkAlways(create(), inputs)),
      { numRuns: 500 },
    )
  })

  test('sends only what can be written as JSON, with an event id', () => {
    fc.assert(
      fc.property(anyInputs(GOOD, TYPES), (inputs) => {
        const script = create()
        for (const effect of inputs.flatMap((input) => script.step(input))) {
          if (effect.kind !== 'send') continue
          expect(effect.event.event_id).toMatch(/^c_[a-z_0-9]+$/)
          expect(JSON.parse(JSON.stringify(effect.event))).toEqual(effect.event)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('may be told nonsense in place of any text', () => {
    const nonsense = { toString: 1 }
    const script = create()
    const frames = TYPES.map((type) =>
      received(type, {
        error: { code: nonsense, message: nonsense, type: nonsense, event_id: nonsense },
        ...{ response: { id: nonsense }, response_id: nonsense, item_id: nonsense, delta: nonsense, reason: nonsense },
      }),
    )
    expect(() => {
      for (const input of [...frames, ...frames.toReversed()]) script.step(input)
    }).not.toThrow()
  })
})
