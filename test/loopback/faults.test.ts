/** What each fault makes of a stream of frames, without a server around it. */
import { describe, expect, test } from 'vitest'
import type { Fault, FaultContext, Outgoing } from '../../src/loopback/fault.js'
import { createFault, FAULT_NAMES, FAULTS, type FaultName, faultApplies } from '../../src/loopback/faults.js'
import { loopbackOptionsSchema } from '../../src/loopback/options.js'
import { PROTOCOLS, type ProtocolName } from '../../src/profile/profile.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

const AT_MS = 1000
const START_US = 5_000_000

type Event = Readonly<Record<string, unknown>>

const created: Event = { type: 'session.created', session: { id: 'sess_1' } }
const updated: Event = {
  type: 'session.updated',
  session: {
    audio: { input: { format: { rate: 16000 } }, output: { format: { type: 'audio/pcm', rate: 24000 } } },
    sglang: {
      granted: { input_audio_format: { rate: 16000 }, output_audio_format: { type: 'audio/pcm', rate: 24000 } },
    },
  },
}
const accepted = (seq: number): Event => ({ type: 'sglang.input_audio.accepted', seq, accepted_end_ms: 80 * (seq + 1) })
const unit = (index: number): Event => ({
  type: 'sglang.unit.done',
  unit_id: `unit_${index}`,
  sglang: { chunk: index },
})
const reply: Event = { type: 'response.created', response: { id: 'r' } }
const ids = { response_id: 'r', item_id: 'i', output_index: 0, content_index: 0 }
const audio: Event = { type: 'response.output_audio.delta', ...ids, delta: 'AQIDBAUG', sglang: {} }
const words: Event = { type: 'response.output_audio_transcript.delta', ...ids, delta: 'One ', sglang: {} }
const ended: Event = { type: 'response.done', response: { id: 'r' } }
const listening: Event = { type: 'input_audio_buffer.speech_started', item_id: 'i' }
const drained: Event = { type: 'sglang.input_audio.drained', accepted_end_ms: 80 }
const closed: Event = { type: 'session.closed', reason: 'client_closed' }

/** A frame at a time in ms after `session.updated`. */
type Step = readonly [atMs: number, event: Event]

async function run(name: FaultName, steps: readonly Step[], protocol: ProtocolName = 'native') {
  const clock = new VirtualClock(START_US)
  const context: FaultContext = { clock, protocol, sessionNumber: 2, atMs: AT_MS, delayMs: 700 }
  const fault = createFault(name, context)
  for (const event of [created, updated]) fault.outgoing(JSON.stringify(event))
  const out: string[] = []
  let isDue = false
  const strikeIfDue = (nowUs: number) => {
    const dueAtUs = fault.dueAtUs()
    if (isDue || dueAtUs === undefined || dueAtUs > nowUs) return
    isDue = true
    out.push(...fault.due().map(describeOutgoing))
  }
  for (const [atMs, event] of steps) {
    const atUs = START_US + atMs * 1000
    strikeIfDue(atUs)
    await clock.runUntil(atUs)
    out.push(...fault.outgoing(JSON.stringify(event)).map(describeOutgoing))
  }
  strikeIfDue(Number.POSITIVE_INFINITY)
  return { out, fault }
}

/** What went out, as text that can be compared. */
function describeOutgoing(outgoing: Outgoing): string {
  switch (outgoing.kind) {
    case 'text':
      return outgoing.text
    case 'binary':
      return `binary ${Buffer.from(outgoing.bytes).toString('utf8')}`
    case 'close':
      return `close ${outgoing.code} ${outgoing.reason}`
    default:
      return outgoing.kind
  }
}

const text = (event: Event): string => JSON.stringify(event)
const typesOf = (out: readonly string[]) => out.map((line) => (line.startsWith('{') ? JSON.parse(line).type : line))

describe('faults of a frame', () => {
  test.each<{ name: FaultName; steps: readonly Step[]; expected: readonly string[] }>([
    {
      name: 'malformed-json',
      steps: [
        [999, accepted(0)],
        [1000, accepted(1)],
        [1001, accepted(2)],
      ],
      expected: [text(accepted(0)), text(accepted(1)).slice(0, -1), text(accepted(2))],
    },
    {
      name: 'non-finite',
      steps: [
        [999, accepted(0)],
        [1000, listening],
        [1001, accepted(1)],
        [1002, accepted(2)],
      ],
      expected: [
        text(accepted(0)),
        text(listening),
        '{"type":"sglang.input_audio.accepted","seq":NaN,"accepted_end_ms":160}',
        text(accepted(2)),
      ],
    },
    {
      name: 'binary-frame',
      steps: [
        [999, accepted(0)],
        [1000, accepted(1)],
        [1001, accepted(2)],
      ],
      expected: [text(accepted(0)), `binary ${text(accepted(1))}`, text(accepted(2))],
    },
    {
      name: 'receipt-missing',
      steps: [
        [999, accepted(0)],
        [1000, unit(0)],
        [1001, accepted(1)],
        [1002, accepted(2)],
      ],
      expected: [text(accepted(0)), text(unit(0)), text(accepted(2))],
    },
    {
      name: 'unit-out-of-order',
      steps: [
        [999, unit(0)],
        [1000, unit(1)],
        [1001, audio],
        [2000, unit(2)],
        [3000, unit(3)],
      ],
      expected: [unit(0), audio, unit(2), unit(1), unit(3)].map(text),
    },
    {
      name: 'truncated-base64',
      steps: [
        [999, audio],
        [1000, words],
        [1001, audio],
        [1002, audio],
      ],
      expected: [text(audio), text(words), text({ ...audio, delta: 'AQIDBAU' }), text(audio)],
    },
    {
      name: 'odd-bytes',
      steps: [
        [999, audio],
        [1000, words],
        [1001, audio],
        [1002, audio],
      ],
      expected: [text(audio), text(words), text({ ...audio, delta: 'AQIDBAU=' }), text(audio)],
    },
  ])('$name strikes the first fitting frame from the moment on, once', async ({ name, steps, expected }) => {
    expect((await run(name, steps)).out).toEqual(expected)
  })

  test('a held unit that no other follows is not lost', async () => {
    const { out } = await run('unit-out-of-order', [
      [1000, unit(0)],
      [1001, accepted(0)],
      [1002, drained],
    ])
    expect(out).toEqual([accepted(0), unit(0), drained].map(text))
  })

  test('both names of an audio delta count', async () => {
    const legacy = { ...audio, type: 'response.audio.delta' }
    const { out } = await run('truncated-base64', [[1000, legacy]], 'legacy-half-duplex')
    expect(out).toEqual([text({ ...legacy, delta: 'AQIDBAU' })])
  })
})

describe('faults of the moment', () => {
  const steps: readonly Step[] = [
    [999, accepted(0)],
    [1001, accepted(1)],
  ]

  test('disconnect drops the connection', async () => {
    expect((await run('disconnect', steps)).out).toEqual([text(accepted(0)), 'cut', text(accepted(1))])
  })

  test('half-open freezes it', async () => {
    expect((await run('half-open', steps)).out).toEqual([text(accepted(0)), 'freeze', text(accepted(1))])
  })

  test('error adds an error that is not fatal', async () => {
    const { out } = await run('error', steps)
    expect(out).toHaveLength(3)
    expect(JSON.parse(out[1] ?? '')).toMatchObject({
      type: 'error',
      event_id: 'evt_fault_error',
      sglang: { fatal: false },
      error: { type: 'invalid_request_error', code: 'invalid_state', message: 'injected fault in session 2' },
    })
  })

  test('error-fatal ends what the client has seen begin, says goodbye and closes', async () => {
    const { out } = await run('error-fatal', [
      [100, reply],
      [101, audio],
      [102, words],
      [103, words],
    ])
    const added = out.slice(4)
    expect(typesOf(added)).toEqual([
      'error',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.done',
      'session.closed',
      'close 1011 internal',
    ])
    const [error, audioDone, wordsDone, done, goodbye] = added.slice(0, 5).map((line) => JSON.parse(line))
    expect(error).toMatchObject({ sglang: { fatal: true }, error: { type: 'server_error', code: 'internal' } })
    expect(audioDone).toEqual({ type: 'response.output_audio.done', event_id: 'evt_fault_part_0', ...ids })
    expect(wordsDone).toMatchObject({ ...ids, transcript: 'One One ' })
    expect(done.response).toMatchObject({ id: 'r', status: 'failed', status_details: { reason: 'internal' } })
    expect(goodbye).toMatchObject({ reason: 'internal', client_event_id: null })
    expect(new Set([error, audioDone, wordsDone, done, goodbye].map((event) => event.event_id)).size).toBe(5)
  })

  test('error-fatal leaves a reply alone that is through', async () => {
    const done = { type: 'response.output_audio.done', ...ids }
    const { out } = await run('error-fatal', [
      [100, reply],
      [101, audio],
      [102, done],
      [103, ended],
    ])
    expect(typesOf(out.slice(4))).toEqual(['error', 'session.closed', 'close 1011 internal'])
  })

  test.each<ProtocolName>(['openai-realtime', 'vllm-duplex', 'legacy-half-duplex'])(
    'error-fatal on %s: the end of the socket follows, without a goodbye that its dialect does not know',
    async (protocol) => {
      const { out } = await run('error-fatal', [], protocol)
      expect(typesOf(out)).toEqual(['error', 'close 1011 internal'])
      expect(Object.hasOwn(JSON.parse(out[0] ?? ''), 'sglang')).toBe(protocol === 'legacy-half-duplex')
    },
  )
})

describe('faults of the rest', () => {
  test('response-after-drain adds a whole reply with ids of its own', async () => {
    const { out } = await run('response-after-drain', [
      [100, unit(0)],
      [101, drained],
      [102, closed],
    ])
    expect(typesOf(out)).toEqual([
      'sglang.unit.done',
      'sglang.input_audio.drained',
      'response.created',
      'response.output_audio.delta',
      'response.output_audio.done',
      'response.done',
      'session.closed',
    ])
    expect(JSON.parse(out[3] ?? '')).toMatchObject({ response_id: 'resp_fault', sglang: { chunk: 0 } })
  })

  test('wrong-sample-rate grants another output rate, and nothing else is changed', () => {
    const clock = new VirtualClock()
    const fault = createFault('wrong-sample-rate', { ...CONTEXT, clock })
    const [granted] = fault.outgoing(text(updated))
    const expected = JSON.parse(text(updated))
    expected.session.audio.output.format.rate = 16_000
    expected.session.sglang.granted.output_audio_format.rate = 16_000
    expect(granted).toEqual({ kind: 'text', text: text(expected) })
    expect(fault.outgoing(text(audio))).toEqual([{ kind: 'text', text: text(audio) }])
  })

  test('wrong-sample-rate reaches the rates that a delta names itself', () => {
    const fault = createFault('wrong-sample-rate', { ...CONTEXT, clock: new VirtualClock(), protocol: 'vllm-duplex' })
    const delta = { ...audio, sample_rate_hz: 24_000 }
    expect(fault.outgoing(text(delta))).toEqual([{ kind: 'text', text: text({ ...delta, sample_rate_hz: 16_000 }) }])
  })

  test('lingering-close completes no closing handshake, and every other fault does', () => {
    const lingering = FAULT_NAMES.filter((name) => !make(name).completesClose)
    expect(lingering).toEqual(['lingering-close'])
  })

  test.each<{ name: FaultName; answers: readonly ReturnType<Fault['onUpgrade']>[] }>([
    { name: 'denied-twice', answers: [{ deny: true }, { deny: true }, {}, {}] },
    { name: 'denied', answers: [{ deny: true }, { deny: true }, { deny: true }, { deny: true }] },
    { name: 'slow-handshake', answers: [{ delayMs: 700 }] },
    { name: 'disconnect', answers: [{}, {}] },
  ])('$name answers upgrades', ({ name, answers }) => {
    const fault = make(name)
    expect(answers.map((_, index) => fault.onUpgrade(index + 1))).toEqual(answers)
  })

  test.each(FAULT_NAMES)('%s leaves the frames before the moment alone', async (name) => {
    const before = [accepted(0), reply, audio, words, ended, unit(0)]
    const { out } = await run(
      name,
      before.map((event, index): Step => [index, event]),
    )
    expect(out.slice(0, before.length)).toEqual(before.map(text))
  })
})

describe('the catalogue', () => {
  test('names and texts are unique, and every fault applies to the native protocol', () => {
    expect(new Set(FAULT_NAMES).size).toBe(FAULTS.length)
    expect(new Set(FAULTS.map(({ what }) => what)).size).toBe(FAULTS.length)
    expect(FAULT_NAMES.filter((name) => !faultApplies(name, 'native'))).toEqual([])
  })

  test.each(PROTOCOLS)('%s: the faults that do not apply', (protocol) => {
    const receipts = ['unit-out-of-order', 'receipt-missing', 'response-after-drain']
    const expected: Record<ProtocolName, readonly string[]> = {
      native: [],
      'turn-based': [],
      'legacy-half-duplex': [...receipts, 'wrong-sample-rate'],
      'openai-realtime': receipts,
      'vllm-duplex': [...receipts, 'denied-twice'],
    }
    expect(FAULT_NAMES.filter((name) => !faultApplies(name, protocol))).toEqual(expected[protocol])
  })

  test('an unknown name is refused with the names there are', () => {
    const result = loopbackOptionsSchema.safeParse({ fault: 'no-such-fault' })
    expect(result.success).toBe(false)
    for (const name of FAULT_NAMES) expect(result.error?.message).toContain(name)
  })
})

const CONTEXT: Omit<FaultContext, 'clock'> = { protocol: 'native', sessionNumber: 2, atMs: AT_MS, delayMs: 700 }

function make(name: FaultName): Fault {
  return createFault(name, { ...CONTEXT, clock: new VirtualClock() })
}
