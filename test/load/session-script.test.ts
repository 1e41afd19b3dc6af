/** The state table of the native script, cell by cell, and what must hold for any sequence of inputs. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ScriptEffect, ScriptInput } from '../../src/protocol/script.js'
import { SessionProtocolScript } from '../../src/protocol/session/client-script.js'

const event = (type: string, fields: Record<string, unknown> = {}): ScriptInput => ({
  kind: 'event',
  event: { type, ...fields },
  atUs: 0,
})
const error = (fatal: boolean, code = 'invalid_state') => event('error', { sglang: { fatal }, error: { code } })

const INPUTS = {
  created: event('session.created'),
  updated: event('session.updated'),
  drained: event('sglang.input_audio.drained'),
  closed: event('session.closed', { reason: 'client_closed' }),
  error: error(false),
  fatal: error(true, 'internal'),
  input_sent: { kind: 'input_sent' },
  gone: { kind: 'closed', code: 1006, reason: '' },
  leave: { kind: 'leave' },
} as const satisfies Record<string, ScriptInput>
type InputName = keyof typeof INPUTS

/** What brings a fresh script into each state, and the script's own name for it. */
const STATES = {
  'awaiting created': { path: [], name: 'awaiting session.created' },
  'awaiting updated': { path: ['created'], name: 'awaiting session.updated' },
  streaming: { path: ['created', 'updated'], name: 'streaming' },
  draining: { path: ['created', 'updated', 'input_sent'], name: 'awaiting sglang.input_audio.drained' },
  closing: { path: ['created', 'updated', 'input_sent', 'drained'], name: 'awaiting session.closed' },
  leaving: { path: ['created', 'updated', 'error'], name: 'leaving after an error' },
  failing: { path: ['created', 'updated', 'fatal'], name: 'failing after a fatal error' },
  parting: {
    path: ['created', 'updated', 'input_sent', 'drained', 'closed'],
    name: 'awaiting the close of the connection',
  },
} as const satisfies Record<string, { path: readonly InputName[]; name: string }>
type StateName = keyof typeof STATES

/**
 * What the script does and where it goes: `what is sent → state`, `hang up` for the close of the connection, `end CAUSE`.
 * A state without a cell for an input does nothing and stays.
 */
const TABLE: Record<StateName, Partial<Record<InputName, string>>> = {
  'awaiting created': {
    created: 'session.update → awaiting updated',
    closed: 'hang up → parting',
    // There is no session yet that could be closed.
    error: 'hang up → parting',
    fatal: '→ failing',
    gone: 'end disconnected',
    leave: 'hang up → parting',
  },
  'awaiting updated': {
    updated: 'start → streaming',
    closed: 'hang up → parting',
    error: 'session.close → leaving',
    fatal: '→ failing',
    gone: 'end disconnected',
    leave: 'session.close → leaving',
  },
  streaming: {
    closed: 'hang up → parting',
    error: 'session.close → leaving',
    fatal: '→ failing',
    input_sent: 'sglang.input_audio.end → draining',
    gone: 'end disconnected',
    leave: 'session.close → leaving',
  },
  draining: {
    drained: 'session.close → closing',
    closed: 'hang up → parting',
    error: 'session.close → leaving',
    fatal: '→ failing',
    gone: 'end disconnected',
    leave: 'session.close → leaving',
  },
  closing: { closed: 'hang up → parting', fatal: '→ failing', gone: 'end disconnected' },
  leaving: { closed: 'hang up → parting', fatal: '→ failing', gone: 'end server_error' },
  failing: { closed: 'hang up → parting', gone: 'end server_error' },
  parting: { gone: 'end completed' },
}

function scriptIn(state: StateName): SessionProtocolScript {
  const script = new SessionProtocolScript({ output_modalities: ['audio'] })
  for (const input of STATES[state].path) script.step(INPUTS[input])
  expect(script.stateName).toBe(STATES[state].name)
  return script
}

function describeEffects(effects: readonly ScriptEffect[]): string[] {
  return effects.flatMap((effect) => {
    switch (effect.kind) {
      case 'send':
        return [String(effect.event.type)]
      case 'start_input':
        return ['start']
      case 'close':
        return ['hang up']
      case 'end':
        return [`end ${effect.cause.kind}`]
      default:
        return []
    }
  })
}

const cells = Object.keys(STATES).flatMap((state) =>
  Object.keys(INPUTS).map((input) => ({
    state: state as StateName,
    input: input as InputName,
    expected: TABLE[state as StateName][input as InputName] ?? '-',
  })),
)

test.each(cells)('$state, $input: $expected', ({ state, input, expected }) => {
  const script = scriptIn(state)
  const did = describeEffects(script.step(INPUTS[input])).join(' ')
  const movedTo = Object.entries(STATES).find(([, { name }]) => name === script.stateName)?.[0]
  const shown = [did, movedTo === state ? '' : `→ ${movedTo}`].filter((part) => part !== '').join(' ')
  expect(shown === '' ? '-' : shown).toBe(expected)
})

describe('the input', () => {
  test.each(['error', 'fatal', 'closed', 'gone', 'leave'] as const)('stops on %s while it streams', (input) => {
    expect(scriptIn('streaming').step(INPUTS[input])).toContainEqual({ kind: 'stop_input' })
  })

  test('is let in by session.updated, and not before', () => {
    expect(scriptIn('awaiting updated').isAdmitted).toBe(false)
    expect(scriptIn('streaming').isAdmitted).toBe(true)
  })
})

describe('the cause of the end', () => {
  const SOCKET_CLOSED: ScriptInput = { kind: 'closed', code: 1000, reason: '' }
  const cases: { name: string; inputs: ScriptInput[]; expected: Record<string, unknown> }[] = [
    {
      name: 'a refused first update is a denial, and no error of the client',
      inputs: [INPUTS.created, error(false, 'admission_rejected'), INPUTS.closed, SOCKET_CLOSED],
      expected: { kind: 'denied', isClientError: false },
    },
    {
      name: 'the same code after admission is an ordinary server error',
      inputs: [INPUTS.created, INPUTS.updated, error(false, 'admission_rejected'), INPUTS.closed, SOCKET_CLOSED],
      expected: { kind: 'server_error', isClientError: false },
    },
    {
      name: 'the first error counts, not the one that followed from it',
      inputs: [
        INPUTS.created,
        INPUTS.updated,
        error(true, 'first'),
        error(true, 'second'),
        INPUTS.closed,
        SOCKET_CLOSED,
      ],
      expected: { kind: 'server_error', message: expect.stringContaining('first') },
    },
    {
      name: 'an error that came while the session was closing still counts',
      inputs: [
        INPUTS.created,
        INPUTS.updated,
        INPUTS.input_sent,
        INPUTS.drained,
        INPUTS.error,
        INPUTS.closed,
        SOCKET_CLOSED,
      ],
      expected: { kind: 'server_error' },
    },
    {
      name: 'session.closed that nobody asked for is the doing of the server',
      inputs: [INPUTS.created, INPUTS.updated, event('session.closed', { reason: 'disconnect' }), SOCKET_CLOSED],
      expected: { kind: 'server_closed', message: expect.stringContaining('disconnect'), isClientError: false },
    },
    {
      name: 'a connection that is cut after a fatal error is an error line too, and names the error',
      inputs: [INPUTS.created, INPUTS.updated, INPUTS.fatal, INPUTS.gone],
      expected: { kind: 'server_error', message: expect.stringContaining('internal'), isClientError: true },
    },
    {
      name: 'a connection that is cut without any reason names its close code and the state',
      inputs: [INPUTS.created, INPUTS.updated, { kind: 'closed', code: 1011, reason: 'broken' }],
      expected: {
        kind: 'disconnected',
        message: expect.stringMatching(/1011, broken.*"streaming"/),
        isClientError: true,
      },
    },
    {
      name: 'a user who interrupts is the client’s own doing',
      inputs: [INPUTS.created, INPUTS.updated, INPUTS.leave, INPUTS.closed, SOCKET_CLOSED],
      expected: { kind: 'left', isClientError: true },
    },
  ]
  test.each(cases)('$name', ({ inputs, expected }) => {
    const script = new SessionProtocolScript({})
    const effects = inputs.flatMap((input) => script.step(input))
    expect(effects.at(-1)).toMatchObject({ kind: 'end', cause: expected })
    expect(effects.filter(({ kind }) => kind === 'end')).toHaveLength(1)
  })
})

describe('for any sequence of inputs', () => {
  const anyEvent = fc.oneof(
    fc.constantFrom(...Object.values(INPUTS)),
    fc.record({
      kind: fc.constant('event' as const),
      event: fc.record(
        {
          type: fc.oneof(
            fc.constantFrom('error', 'session.closed', 'session.updated', 'sglang.unit.done', 'response.created'),
            fc.jsonValue(),
          ),
          error: fc.oneof(fc.record({ code: fc.jsonValue(), message: fc.jsonValue() }), fc.jsonValue()),
          sglang: fc.oneof(fc.record({ fatal: fc.oneof(fc.boolean(), fc.jsonValue()) }), fc.jsonValue()),
          reason: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    }),
  )
  const anyInputs = fc.array(anyEvent as fc.Arbitrary<ScriptInput>, { maxLength: 30 })
  const isFatal = (input: ScriptInput) =>
    input.kind === 'event' &&
    input.event.type === 'error' &&
    (input.event.sglang as { fatal?: unknown } | null | undefined)?.fatal === true

  test('it never throws, and sends nothing after a fatal error', () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const script = new SessionProtocolScript({})
        let hasFailed = false
        for (const input of inputs) {
          hasFailed ||= isFatal(input)
          const sends = script.step(input).filter(({ kind }) => kind === 'send' || kind === 'start_input')
          if (hasFailed) expect(sends).toEqual([])
        }
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['the code of an error', event('error', { sglang: { fatal: false }, error: { code: { toString: 1 } } })],
    ['the message of an error', event('error', { sglang: { fatal: true }, error: { message: { toString: 1 } } })],
    ['the reason of session.closed', event('session.closed', { reason: { toString: 1 } })],
  ])('%s may be an object that has no text', (_, input) => {
    expect(() => scriptIn('streaming').step(input)).not.toThrow()
  })

  test('each command is sent at most once, and only a lost connection ends the session', () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const script = new SessionProtocolScript({})
        const sent: unknown[] = []
        for (const input of inputs) {
          const effects = script.step(input)
          for (const effect of effects) if (effect.kind === 'send') sent.push(effect.event.type)
          expect(effects.some(({ kind }) => kind === 'end')).toBe(input.kind === 'closed')
          if (input.kind === 'closed') break
        }
        expect(new Set(sent).size).toBe(sent.length)
      }),
      { numRuns: 2000 },
    )
  })
})
