import { describe, expect, test } from 'vitest'
import { patienceMs } from '../../src/loopback/load-behaviour.js'
import { type LoopbackOptionsInput, loopbackOptionsSchema } from '../../src/loopback/options.js'
import { append, Client, makeInput, makeWorld, type WireEvent } from './native-client.js'
import { LEGACY_SESSION, receivedAtMs, TURN_BASED_SESSION } from './turn-client.js'

test.each([
  { options: {}, others: 3, expected: 300 },
  { options: { laterMs: 100 }, others: 0, expected: 300 },
  { options: { laterMs: 100 }, others: 3, expected: 600 },
  { options: { jumpierMs: 50 }, others: 3, expected: 150 },
  { options: { jumpierMs: 100 }, others: 7, expected: 0 },
  { options: { laterMs: 100, jumpierMs: 40 }, others: 2, expected: 420 },
])('beside $others sessions, $options make a patience of $expected ms', ({ options, others, expected }) => {
  expect(patienceMs(loopbackOptionsSchema.parse(options), others)).toBe(expected)
})

interface Kind {
  readonly profile: string
  readonly session: WireEvent
  readonly audio: string
  readonly hasSglang: boolean
}

const NATIVE: Kind = {
  profile: 'minicpmo-native',
  session: { output_modalities: ['audio'] },
  audio: 'response.output_audio.delta',
  hasSglang: true,
}
const VLLM: Kind = { profile: 'vllm-duplex', session: {}, audio: 'response.output_audio.delta', hasSglang: false }
const TURNS: readonly Kind[] = [
  {
    profile: 'turn-based',
    session: TURN_BASED_SESSION,
    audio: 'response.output_audio.delta',
    hasSglang: true,
  },
  { profile: 'qwen3-omni-half-duplex', session: LEGACY_SESSION, audio: 'response.audio.delta', hasSglang: true },
  {
    profile: 'openai-realtime',
    session: { type: 'realtime', ...TURN_BASED_SESSION, output_modalities: ['audio'] },
    audio: 'response.output_audio.delta',
    hasSglang: false,
  },
]

interface Load {
  readonly options?: LoopbackOptionsInput
  readonly others?: number
  /** When the others leave, from the start of the input; never unless given. */
  readonly leaveAtMs?: number
}

/** @returns when the first audio of the reply came, and when the turn was over, in ms from the start of the input */
async function answerOf({ profile, session, audio, hasSglang }: Kind, speechEndMs: number, load: Load = {}) {
  const { options = {}, others = 0, leaveAtMs } = load
  const world = await makeWorld(profile, { baseMs: 10, perUnitMs: 10, ...options })
  const query = profile === 'vllm-duplex' ? 'duplex=1' : ''
  const idle = Array.from({ length: others }, () => new Client(world, query))
  const client = new Client(world, query)
  await world.clock.runUntil(world.clock.nowUs() + 10_000)
  client.send({ type: 'session.update', session })
  await world.clock.runUntil(world.clock.nowUs() + 10_000)

  const startUs = world.clock.nowUs()
  const input = makeInput(world.profile, 320, speechEndMs - 320, 5000 - speechEndMs)
  const packetSamples = (world.profile.input.sample_rate_hz * 80) / 1000
  for (let seq = 0; seq * packetSamples < input.length; seq += 1) {
    const event = append(input.slice(seq * packetSamples, (seq + 1) * packetSamples), seq, seq * 80)
    const { sglang, ...bare } = event
    world.clock.at(startUs + seq * 80_000, () => client.send(hasSglang ? event : bare))
  }
  if (leaveAtMs !== undefined) {
    world.clock.at(startUs + leaveAtMs * 1000, () => {
      for (const other of idle) other.hangUp()
    })
  }
  await world.clock.runUntil(startUs + 5_000_000)
  return { audioMs: receivedAtMs(client, audio), stoppedMs: receivedAtMs(client, 'input_audio_buffer.speech_stopped') }
}

describe.each([NATIVE, VLLM])('a model in units, $profile', (kind) => {
  test.each<{ name: string; speechEndMs: number; load: Load; laterByUnits: number }>([
    { name: 'alone it is as it was', speechEndMs: 1520, load: { options: { laterMs: 200 } }, laterByUnits: 0 },
    { name: 'the others alone change nothing', speechEndMs: 1520, load: { others: 2 }, laterByUnits: 0 },
    {
      name: 'beside others it waits longer',
      speechEndMs: 1520,
      load: { options: { laterMs: 200 }, others: 2 },
      laterByUnits: 1,
    },
    {
      name: 'beside others it waits less, at last not at all',
      speechEndMs: 1920,
      load: { options: { jumpierMs: 200 }, others: 2 },
      laterByUnits: -1,
    },
    {
      name: 'those that have left by then do not count',
      speechEndMs: 1520,
      load: { options: { laterMs: 200 }, others: 2, leaveAtMs: 1000 },
      laterByUnits: 0,
    },
  ])('$name', async ({ speechEndMs, load, laterByUnits }) => {
    const unloaded = await answerOf(kind, speechEndMs)
    const loaded = await answerOf(kind, speechEndMs, load)
    expect(Math.round((loaded.audioMs - unloaded.audioMs) / 1000)).toBe(laterByUnits)
  })
})

describe.each(TURNS)('a server with turns, $profile', (kind) => {
  test.each<{ name: string; load: Load; stoppedMs: number; audioMs: number }>([
    { name: 'alone it is as it was', load: { options: { laterMs: 150, jumpierMs: 80 } }, stoppedMs: 0, audioMs: 0 },
    {
      name: 'beside others the reply begins later, and the turn ends when it did',
      load: { options: { laterMs: 150 }, others: 2 },
      stoppedMs: 0,
      audioMs: 300,
    },
    {
      name: 'beside others the turn ends sooner, and the reply with it',
      load: { options: { jumpierMs: 80 }, others: 2 },
      stoppedMs: -160,
      audioMs: -160,
    },
    {
      name: 'without any patience left a window of silence ends the turn',
      load: { options: { jumpierMs: 800 }, others: 2 },
      stoppedMs: -240,
      audioMs: -240,
    },
  ])('$name', async ({ load, stoppedMs, audioMs }) => {
    const unloaded = await answerOf(kind, 1280)
    const loaded = await answerOf(kind, 1280, load)
    expect(loaded.stoppedMs - unloaded.stoppedMs).toBeCloseTo(stoppedMs, 6)
    expect(loaded.audioMs - unloaded.audioMs).toBeCloseTo(audioMs, 6)
  })
})
