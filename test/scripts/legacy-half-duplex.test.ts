/** The state table of the legacy half-duplex script, cell by cell, and what stands in its causes. */
import { describe, expect, test } from 'vitest'
import { LegacyScript } from '../../src/protocol/legacy-half-duplex/script.js'
import type { ScriptInput } from '../../src/protocol/script.js'
import {
  cellsOf,
  describeEffects,
  received,
  type StateTable,
  scriptIn,
  sentBy,
  shownStep,
} from '../helpers/script-table.js'

const SESSION = { modalities: ['text', 'audio'], turn_detection: { type: 'server_vad' } }
const TAIL_US = 1_250_000

const INPUTS = {
  opened: { kind: 'opened' },
  created: received('session.created'),
  updated: received('session.updated'),
  error: received('error', { error: { code: 'invalid_value', message: 'no' }, sglang: { fatal: false } }),
  fatal: received('error', { error: { code: 'internal', message: 'broken' }, sglang: { fatal: true } }),
  audio: received('response.audio.delta', { response_id: 'r1', item_id: 'i1', content_index: 1, delta: 'AAA=' }),
  input_sent: { kind: 'input_sent' },
  waited: { kind: 'waited', name: 'tail' },
  gone: { kind: 'closed', code: 1006, reason: '' },
  leave: { kind: 'leave' },
} as const satisfies Record<string, ScriptInput>

/** An error, the user, and the probe's answer all end the same way. */
const PART = 'stop, hang up → parting'
/** What every state but the last has in common. */
const ANYWHERE = { error: PART, fatal: PART, leave: PART, gone: 'stop, end disconnected' }

const STATES = {
  'awaiting created': { path: [], name: 'awaiting session.created' },
  'awaiting updated': { path: ['created'], name: 'awaiting session.updated' },
  streaming: { path: ['created', 'updated'], name: 'streaming' },
  'in the tail': { path: ['created', 'updated', 'input_sent'], name: 'in the tail' },
  probing: {
    path: ['created', 'updated', 'input_sent', 'waited'],
    name: "awaiting the probe's session.updated",
  },
  parting: {
    path: ['created', 'updated', 'input_sent', 'waited', 'updated'],
    name: 'awaiting the close of the connection',
  },
} as const satisfies Record<string, { path: readonly (keyof typeof INPUTS)[]; name: string }>

const TABLE: StateTable<keyof typeof STATES, keyof typeof INPUTS> = {
  create: () => new LegacyScript(SESSION, TAIL_US),
  inputs: INPUTS,
  states: STATES,
  cells: {
    'awaiting created': { ...ANYWHERE, created: 'session.update → awaiting updated' },
    'awaiting updated': { ...ANYWHERE, updated: 'start → streaming' },
    streaming: { ...ANYWHERE, input_sent: 'wait tail → in the tail' },
    'in the tail': { ...ANYWHERE, waited: 'session.update → probing' },
    probing: { ...ANYWHERE, updated: PART },
    parting: { gone: 'stop, end completed' },
  },
}

test.each(cellsOf(TABLE))('$state, $input: $expected', ({ state, input, expected }) => {
  expect(shownStep(TABLE, state, input)).toBe(expected)
})

describe('the two updates', () => {
  test('the first carries the session, the second is an empty probe under an id of its own', () => {
    const inputs = [INPUTS.created, INPUTS.updated, INPUTS.input_sent, INPUTS.waited]
    expect(sentBy(TABLE.create(), inputs)).toEqual([
      { type: 'session.update', event_id: 'c_update', session: SESSION },
      { type: 'session.update', event_id: 'c_probe', session: {} },
    ])
  })

  test('the probe waits for the tail', () => {
    expect(scriptIn(TABLE, 'streaming').step(INPUTS.input_sent)).toEqual([
      { kind: 'wait', name: 'tail', durationUs: TAIL_US },
    ])
  })

  test('an update that answers nobody is no answer to the probe', () => {
    const script = scriptIn(TABLE, 'in the tail')
    expect(describeEffects(script.step(INPUTS.updated))).toEqual([])
    expect(describeEffects(script.step(INPUTS.waited))).toEqual(['session.update'])
  })
})

test('the session is let in by its first session.updated, and not before', () => {
  expect(scriptIn(TABLE, 'awaiting updated').isAdmitted).toBe(false)
  expect(scriptIn(TABLE, 'streaming').isAdmitted).toBe(true)
})

describe('the cause of the end', () => {
  const NORMAL: ScriptInput = { kind: 'closed', code: 1000, reason: '' }
  const refused = received('error', { error: { code: 'admission_rejected', message: 'memory is full' } })
  const all = [INPUTS.created, INPUTS.updated, INPUTS.input_sent, INPUTS.waited, INPUTS.updated]
  test.each<{ name: string; inputs: ScriptInput[]; expected: Record<string, unknown> }>([
    {
      name: 'an answered probe completes the session',
      inputs: [...all, NORMAL],
      expected: { kind: 'completed', message: 'completed', isClientError: false },
    },
    {
      name: 'an unusual close code is named, and the session is complete all the same',
      inputs: [...all, { kind: 'closed', code: 1011, reason: 'tired' }],
      expected: { kind: 'completed', message: expect.stringContaining('code 1011, tired'), isClientError: false },
    },
    {
      name: 'a refused first update is a denial',
      inputs: [INPUTS.created, refused, NORMAL],
      expected: { kind: 'denied', message: expect.stringContaining('memory is full'), isClientError: false },
    },
    {
      name: 'the same code after admission is an ordinary server error',
      inputs: [INPUTS.created, INPUTS.updated, refused, NORMAL],
      expected: { kind: 'server_error', isClientError: false },
    },
    {
      name: 'an error while the probe is out counts',
      inputs: [INPUTS.created, INPUTS.updated, INPUTS.input_sent, INPUTS.waited, INPUTS.error, INPUTS.updated, NORMAL],
      expected: { kind: 'server_error', message: 'server error invalid_value: no' },
    },
    {
      name: 'the first error counts, not the one that followed from it',
      inputs: [INPUTS.created, INPUTS.updated, INPUTS.error, INPUTS.fatal, NORMAL],
      expected: { kind: 'server_error', message: expect.stringContaining('invalid_value') },
    },
    {
      name: 'a connection that is cut before the answer of the probe is an error of the client’s, with its state',
      inputs: [INPUTS.created, INPUTS.updated, INPUTS.input_sent, { kind: 'closed', code: 1001, reason: 'bye' }],
      expected: {
        kind: 'disconnected',
        message: expect.stringMatching(/code 1001, bye.*"in the tail"/),
        isClientError: true,
      },
    },
    {
      name: 'a user who interrupts is the client’s own doing',
      inputs: [INPUTS.created, INPUTS.updated, INPUTS.leave, NORMAL],
      expected: { kind: 'left', isClientError: true },
    },
  ])('$name', ({ inputs, expected }) => {
    const script = TABLE.create()
    const effects = inputs.flatMap((input) => script.step(input))
    expect(effects.at(-1)).toMatchObject({ kind: 'end', cause: expected })
  })
})
