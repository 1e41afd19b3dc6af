/** The real-time factor of replies: on paper, and as a client measures it with N sessions speaking at once. */
import { describe, expect, test } from 'vitest'
import { predictPacedReplyRtf, predictReplyRtf } from '../../src/loopback/predict.js'
import { type Client, makeInput, makeReply, makeWorld, openSession, sendPackets } from './native-client.js'
import { LEGACY_SESSION, rtfOf, TURN_BASED_SESSION } from './turn-client.js'

describe('the prediction', () => {
  test.each([
    { name: 'one session', sessionsSpeaking: 1, accelerator: { baseMs: 20, perUnitMs: 30 }, expected: 0.25 },
    { name: 'exactly real time', sessionsSpeaking: 6, accelerator: { baseMs: 20, perUnitMs: 30 }, expected: 1 },
    { name: 'slower', sessionsSpeaking: 8, accelerator: { baseMs: 20, perUnitMs: 30 }, expected: 1.3 },
    {
      name: 'small batches',
      sessionsSpeaking: 8,
      accelerator: { baseMs: 20, perUnitMs: 30, maxBatch: 2 },
      expected: 1.6,
    },
  ])('$name: $expected', ({ sessionsSpeaking, accelerator, expected }) => {
    expect(predictReplyRtf({ chunkMs: 200, sessionsSpeaking, accelerator })).toBeCloseTo(expected, 12)
  })

  test('a paced reply is held to its lead, and one of a single chunk has no factor', () => {
    const replies = { chunkMs: 200, sessionsSpeaking: 1, accelerator: { baseMs: 20, perUnitMs: 30 }, maxLeadMs: 1000 }
    expect(predictPacedReplyRtf({ ...replies, replyMs: 1500 })).toBeCloseTo(500 / 1400, 12)
    expect(predictPacedReplyRtf({ ...replies, replyMs: 1200 })).toBeCloseTo(0.25, 12)
    expect(predictPacedReplyRtf({ ...replies, replyMs: 200 })).toBeUndefined()
  })
})

const REPLY_MS = 4000

/** Sessions whose users all say the same at about the same time; the replies overlap for nearly all of their length. */
async function measure(profileName: string, options: object, sessions: number): Promise<number[]> {
  const world = await makeWorld(profileName, options, {
    replies: (profile) => [makeReply('A long answer, as answers go.', REPLY_MS, profile)],
  })
  const isTurnBased = profileName === 'turn-based'
  const clients: Client[] = []
  for (let index = 0; index < sessions; index += 1) {
    clients.push(await openSession(world, isTurnBased ? TURN_BASED_SESSION : LEGACY_SESSION))
  }
  const input = makeInput(world.profile, 320, 640, 14_000)
  for (const client of clients) sendPackets(world, client, input)
  await world.clock.runUntil(world.clock.nowUs() + 15_000_000)
  const delta = isTurnBased ? 'response.output_audio.delta' : 'response.audio.delta'
  return clients.map((client) => rtfOf(client, delta, 'resp_0') ?? Number.NaN)
}

const SETTINGS = [
  { replyChunkMs: 200, baseMs: 20, perUnitMs: 30 },
  { replyChunkMs: 160, baseMs: 40, perUnitMs: 10 },
]

describe.each(SETTINGS)('prediction and measurement at chunks of $replyChunkMs ms', (accelerator) => {
  const replies = { chunkMs: accelerator.replyChunkMs, accelerator, replyMs: REPLY_MS, maxLeadMs: 1000 }

  test.each([1, 2, 4, 6, 8])('legacy, %i sessions', async (sessionsSpeaking) => {
    const predicted = predictReplyRtf({ ...replies, sessionsSpeaking })
    for (const rtf of await measure('qwen3-omni-half-duplex', accelerator, sessionsSpeaking)) {
      expect(rtf).toBeCloseTo(predicted, 9)
    }
  })

  test.each([1, 2, 4, 6, 8])('turn-based and paced, %i sessions', async (sessionsSpeaking) => {
    const predicted = predictPacedReplyRtf({ ...replies, sessionsSpeaking })
    for (const rtf of await measure('turn-based', accelerator, sessionsSpeaking)) {
      expect(rtf).toBeCloseTo(predicted ?? Number.NaN, 9)
    }
  })
})

test('with jitter and small batches the mean stays close to the paper', async () => {
  const options = { replyChunkMs: 200, baseMs: 20, perUnitMs: 30, jitter: 0.05, maxBatch: 4 }
  const predicted = predictReplyRtf({ chunkMs: 200, sessionsSpeaking: 6, accelerator: options })
  const measured = await measure('qwen3-omni-half-duplex', options, 6)
  for (const rtf of measured) expect(Math.abs(rtf / predicted - 1)).toBeLessThan(0.06)
})

test('by default the base is 10% and each session 15% of a chunk', async () => {
  const [rtf] = await measure('qwen3-omni-half-duplex', { replyChunkMs: 400 }, 1)
  expect(rtf).toBeCloseTo(0.25, 9)
})
