/** State tables of protocol scripts as data: what brings a script into a state, and what each input then does. */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { ScriptEffect, ScriptInput, SessionScript } from '../../src/protocol/script.js'

export interface ScriptState<Input extends string> {
  /** What brings a fresh script there. */
  readonly path: readonly Input[]
  /** The script's own name for the state. */
  readonly name: string
}

export interface StateTable<State extends string, Input extends string> {
  readonly create: () => SessionScript
  readonly inputs: Readonly<Record<Input, ScriptInput>>
  readonly states: Readonly<Record<State, ScriptState<Input>>>
  /** Effects in order, then `→ state` where it moves. A state without a cell for an input does nothing and stays. */
  readonly cells: Readonly<Record<State, Partial<Record<Input, string>>>>
}

export interface Cell<State extends string, Input extends string> {
  readonly state: State
  readonly input: Input
  readonly expected: string
}

export function cellsOf<S extends string, I extends string>({ states, inputs, cells }: StateTable<S, I>): Cell<S, I>[] {
  return (Object.keys(states) as S[]).flatMap((state) =>
    (Object.keys(inputs) as I[]).map((input) => ({ state, input, expected: cells[state][input] ?? '-' })),
  )
}

/** A script in one of its states. */
export function scriptIn<S extends string, I extends string>(table: StateTable<S, I>, state: S): SessionScript {
  const script = table.create()
  for (const input of table.states[state].path) script.step(table.inputs[input])
  expect(script.stateName).toBe(table.states[state].name)
  return script
}

/** What a script does with an input, in the words of the table. */
export function shownStep<S extends string, I extends string>(table: StateTable<S, I>, state: S, input: I): string {
  const script = scriptIn(table, state)
  const did = describeEffects(script.step(table.inputs[input])).join(', ')
  const movedTo = (Object.keys(table.states) as S[]).find((name) => table.states[name].name === script.stateName)
  const hasMoved = script.stateName !== table.states[state].name
  const shown = [did, hasMoved ? `→ ${movedTo ?? script.stateName}` : ''].filter((part) => part !== '').join(' ')
  return shown === '' ? '-' : shown
}

export function describeEffects(effects: readonly ScriptEffect[]): string[] {
  return effects.map((effect) => {
    switch (effect.kind) {
      case 'send':
        return String(effect.event.type)
      case 'start_input':
        return 'start'
      case 'stop_input':
        return 'stop'
      case 'wait':
        return `wait ${effect.name}`
      case 'close':
        return 'hang up'
      case 'end':
        return `end ${effect.cause.kind}`
      default:
        return effect satisfies never
    }
  })
}

/** A received frame. */
export function received(type: unknown, fields: Record<string, unknown> = {}, atUs = 0): ScriptInput {
  return { kind: 'event', event: { type, ...fields }, atUs }
}

/** What is sent in answer to inputs, in order. */
export function sentBy(script: SessionScript, inputs: readonly ScriptInput[]): Record<string, unknown>[] {
  return inputs.flatMap((input) =>
    script.step(input).flatMap((effect) => (effect.kind === 'send' ? [effect.event as Record<string, unknown>] : [])),
  )
}

/**
 * Any sequence of inputs: good ones in any order, and frames whose fields hold any JSON value.
 * @param types event types to which the script reacts
 */
export function anyInputs(good: readonly ScriptInput[], types: readonly string[]): fc.Arbitrary<ScriptInput[]> {
  const anyObject = fc.record(
    { id: idOrJunk(), code: codeOrJunk(), message: fc.jsonValue(), event_id: idOrJunk(), error: fc.jsonValue() },
    { requiredKeys: [] },
  )
  const frame = fc.record(
    {
      type: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...types) }, fc.jsonValue()),
      error: fc.oneof(anyObject, fc.jsonValue()),
      code: codeOrJunk(),
      response: fc.oneof(anyObject, fc.jsonValue()),
      response_id: idOrJunk(),
      item_id: idOrJunk(),
      content_index: fc.oneof(fc.nat(2), fc.jsonValue()),
      delta: fc.oneof(fc.constant(Buffer.alloc(960).toString('base64')), fc.jsonValue()),
      reason: fc.jsonValue(),
      sglang: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const anyFrame = fc.record({ kind: fc.constant('event' as const), event: frame, atUs: fc.nat(1e9) })
  return fc.array(fc.oneof(fc.constantFrom(...good), anyFrame) as fc.Arbitrary<ScriptInput>, { maxLength: 40 })
}

function idOrJunk() {
  return fc.oneof(fc.constantFrom('one', 'two', 'c_update'), fc.jsonValue())
}

function codeOrJunk() {
  return fc.oneof(
    fc.constantFrom('admission_rejected', 'resource_exhausted', 'session_expired', 'internal'),
    fc.jsonValue(),
  )
}

const PARTING = 'awaiting the close of the connection'

/**
 * What holds for every script and any sequence of inputs: it never throws (that alone takes the sequence), asks for nothing
 * more once it is parting, hangs up once, ends once for each connection that closes and never otherwise, starts the input
 * once and only once it is admitted, stays admitted, and never uses an event id twice.
 */
export function checkAlways(script: SessionScript, inputs: readonly ScriptInput[]): void {
  const kinds: string[] = []
  const eventIds: unknown[] = []
  for (const input of inputs) {
    const wasAdmitted = script.isAdmitted
    const wasParting = script.stateName === PARTING
    const effects = script.step(input)
    if (wasParting) expect(effects.filter(({ kind }) => kind !== 'end' && kind !== 'stop_input')).toEqual([])
    if (wasParting) expect(script.stateName).toBe(PARTING)
    expect(effects.filter(({ kind }) => kind === 'end')).toHaveLength(input.kind === 'closed' ? 1 : 0)
    if (wasAdmitted) expect(script.isAdmitted).toBe(true)
    for (const effect of effects) {
      kinds.push(effect.kind)
      if (effect.kind === 'send') eventIds.push(effect.event.event_id)
      if (effect.kind === 'start_input') expect(script.isAdmitted).toBe(true)
    }
  }
  expect(kinds.filter((kind) => kind === 'close').length).toBeLessThanOrEqual(1)
  expect(kinds.filter((kind) => kind === 'start_input')).toHaveLength(script.isAdmitted ? 1 : 0)
  expect(new Set(eventIds).size).toBe(eventIds.length)
}
