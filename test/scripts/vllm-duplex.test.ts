/** The state table of the vLLM-Omni duplex script, cell by cell, and what stands in its causes. */
import { describe, expect, test } from 'vitest'
import type { ScriptInput } from '../../src/protocol/script.js'
import { VllmDuplexScript } from '../../src/protocol/vllm-duplex/script.js'
import { cellsOf, received, type StateTable, scriptIn, sentBy, shownStep } from '../helpers/script-table.js'

const SESSION = { modalities: ['audio', 'text'], input_audio_format: 'pcm16' }
const DRAIN_US = 2_250_000

const INPUTS = {
  opened: { kind: 'opened' },
  created: received('session.created'),
  updated: received('session.updated'),
  refused: received('error', {
    error: { type: 'rate_limit_error', code: 'resource_exhausted', message: 'all sessions are taken', retryable: true },
  }),
  error: received('error', { error: { type: 'server_error', code: 'internal', message: 'broken' } }),
  audio: received('response.output_audio.delta', { response_id: 'r1', item_id: 'item_r1', delta: 'AAA=' }),
  input_sent: { kind: 'input_sent' },
  waited: { kind: 'waited', name: 'drain' },
  closed: received('session.closed', { reason: 'client_close' }),
  gone: { kind: 'closed', code: 1006, reason: '' },
  leave: { kind: 'leave' },
} as const satisfies Record<string, ScriptInput>

const STATES = {
  connecting: { path: [], name: 'connecting' },
  'awaiting updated': { path: ['opened'], name: 'awaiting session.updated' },
  streaming: { path: ['opened', 'created', 'updated'], name: 'streaming' },
  draining: { path: ['opened', 'created', 'updated', 'input_sent'], name: 'draining' },
  closing: { path: ['opened', 'created', 'updated', 'input_sent', 'waited'], name: 'awaiting session.closed' },
  leaving: { path: ['opened', 'created', 'updated', 'error'], name: 'leaving after an error' },
  parting: {
    path: ['opened', 'created', 'updated', 'input_sent', 'waited', 'closed'],
    name: 'awaiting the close of the connection',
  },
} as const satisfies Record<string, { path: readonly (keyof typeof INPUTS)[]; name: string }>

const PART = 'stop, hang up → parting'
const LEAVE = 'stop, session.close → leaving'
const CUT = 'stop, end disconnected'

/** `refused` is a refusal only until the session is admitted; from then on the same code is an error like any other. */
const TABLE: StateTable<keyof typeof STATES, keyof typeof INPUTS> = {
  create: () => new VllmDuplexScript(SESSION, DRAIN_US),
  inputs: INPUTS,
  states: STATES,
  cells: {
    // No frame can come before the connection is open; should one, it is taken for what it says.
    connecting: {
      opened: 'session.update → awaiting updated',
      refused: PART,
      error: PART,
      closed: PART,
      leave: PART,
      gone: CUT,
    },
    // There is no session yet that could be closed.
    'awaiting updated': {
      updated: 'start → streaming',
      refused: PART,
      error: PART,
      closed: PART,
      leave: PART,
      gone: CUT,
    },
    streaming: {
      refused: LEAVE,
      error: LEAVE,
      input_sent: 'wait drain → draining',
      closed: PART,
      leave: LEAVE,
      gone: CUT,
    },
    draining: {
      refused: LEAVE,
      error: LEAVE,
      waited: 'session.close → closing',
      closed: PART,
      leave: LEAVE,
      gone: CUT,
    },
    closing: { closed: PART, gone: CUT },
    leaving: { closed: PART, gone: 'stop, end server_error' },
    parting: { gone: 'stop, end completed' },
  },
}

test.each(cellsOf(TABLE))('$state, $input: $expected', ({ state, input, expected }) => {
  expect(shownStep(TABLE, state, input)).toBe(expected)
})

test('the client speaks first, waits for the drain and then closes the session', () => {
  const script = TABLE.create()
  const inputs = [INPUTS.opened, INPUTS.created, INPUTS.updated, INPUTS.input_sent, INPUTS.waited]
  expect(sentBy(script, inputs)).toEqual([
    { type: 'session.update', event_id: 'c_update', session: SESSION },
    { type: 'session.close', event_id: 'c_close' },
  ])
  expect(scriptIn(TABLE, 'streaming').step(INPUTS.input_sent)).toEqual([
    { kind: 'wait', name: 'drain', durationUs: DRAIN_US },
  ])
})

test('session.created alone does not let the session in; session.updated does', () => {
  const script = scriptIn(TABLE, 'awaiting updated')
  script.step(INPUTS.created)
  expect(script.isAdmitted).toBe(false)
  script.step(INPUTS.updated)
  expect(script.isAdmitted).toBe(true)
})

describe('the cause of the end', () => {
  const NORMAL: ScriptInput = { kind: 'closed', code: 1000, reason: 'client_close' }
  const open = [INPUTS.opened, INPUTS.created, INPUTS.updated]
  test.each<{ name: string; inputs: ScriptInput[]; expected: Record<string, unknown> }>([
    {
      name: 'session.closed after session.close completes the session',
      inputs: [...open, INPUTS.input_sent, INPUTS.waited, INPUTS.closed, NORMAL],
      expected: { kind: 'completed', message: 'completed', isClientError: false },
    },
    {
      name: 'a full server is a denial, and no error of the client’s',
      inputs: [INPUTS.opened, INPUTS.refused, NORMAL],
      expected: { kind: 'denied', message: expect.stringContaining('all sessions are taken'), isClientError: false },
    },
    {
      name: 'a refusal in the flat form before the handshake is a denial too',
      inputs: [INPUTS.opened, received('error', { error: 'no room', code: 'resource_exhausted' }), NORMAL],
      expected: { kind: 'denied', message: expect.stringContaining('no room'), isClientError: false },
    },
    {
      name: 'a flat error of another code is a server error with its text',
      inputs: [
        INPUTS.opened,
        received('error', { error: 'send session.update first', code: 'config_timeout' }),
        NORMAL,
      ],
      expected: { kind: 'server_error', message: 'server error config_timeout: send session.update first' },
    },
    {
      name: 'resource_exhausted after admission is an ordinary server error',
      inputs: [...open, INPUTS.refused, INPUTS.closed, NORMAL],
      expected: { kind: 'server_error', isClientError: false },
    },
    {
      name: 'an error that came while the session was closing still counts',
      inputs: [...open, INPUTS.input_sent, INPUTS.waited, INPUTS.error, INPUTS.closed, NORMAL],
      expected: { kind: 'server_error', message: expect.stringContaining('broken') },
    },
    {
      name: 'a user who leaves while the session is closing changes nothing',
      inputs: [...open, INPUTS.input_sent, INPUTS.waited, INPUTS.leave, INPUTS.closed, NORMAL],
      expected: { kind: 'completed' },
    },
    {
      name: 'session.closed that nobody asked for is the doing of the server',
      inputs: [...open, received('session.closed', { reason: 'idle_ttl_expired' }), NORMAL],
      expected: {
        kind: 'server_closed',
        message: expect.stringMatching(/idle_ttl_expired.*"streaming"/),
        isClientError: false,
      },
    },
    {
      name: 'a connection that is cut after an error names the error',
      inputs: [...open, INPUTS.error, INPUTS.gone],
      expected: {
        kind: 'server_error',
        message: expect.stringMatching(/code 1006.*without session\.closed.*broken/),
        isClientError: true,
      },
    },
    {
      name: 'a connection that is cut names its close code and the state',
      inputs: [...open, INPUTS.input_sent, { kind: 'closed', code: 1013, reason: 'busy' }],
      expected: {
        kind: 'disconnected',
        message: expect.stringMatching(/1013, busy.*"draining"/),
        isClientError: true,
      },
    },
    {
      name: 'a user who interrupts is the client’s own doing',
      inputs: [...open, INPUTS.leave, INPUTS.closed, NORMAL],
      expected: { kind: 'left', isClientError: true },
    },
  ])('$name', ({ inputs, expected }) => {
    const script = TABLE.create()
    const effects = inputs.flatMap((input) => script.step(input))
    expect(effects.at(-1)).toMatchObject({ kind: 'end', cause: expected })
  })
})
