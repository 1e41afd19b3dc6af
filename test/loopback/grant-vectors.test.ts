/** The grant, against the example traces in test/vectors/protocol-examples. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { makeWorld, openSession, type WireEvent } from './native-client.js'

const EXAMPLES = [
  { profile: 'minicpmo-native', file: 'native-minicpmo.jsonl' },
  { profile: 'personaplex-native', file: 'native-personaplex.jsonl' },
  { profile: 'nemotron-voicechat', file: 'native-nemotron.jsonl' },
  { profile: 'turn-based', file: 'turn-based.jsonl' },
]

async function readExample(file: string): Promise<WireEvent[]> {
  const text = await readFile(new URL(`../vectors/protocol-examples/${file}`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event)
}

test.each(EXAMPLES)('$profile grants what the example trace shows', async ({ profile, file }) => {
  const events = await readExample(file)
  const find = (type: string) => events.find((event) => event.type === type) ?? {}
  const client = await openSession(await makeWorld(profile), find('session.update').session)
  const [updated] = client.of('session.updated')
  const expected = structuredClone(find('session.updated').session)
  // The examples list two voices only, and their session ids are their own.
  if (expected.sglang.granted.voices !== undefined)
    expected.sglang.granted.voices = expect.arrayContaining(['NATF2', 'NATM1'])
  expect(updated?.session).toEqual({ ...expected, id: 'sess_1' })
  const created = find('session.created').session
  expect(client.of('session.created')[0]?.session).toEqual({ ...created, id: 'sess_1' })
})

test('the legacy protocol describes its session as the example trace shows', async () => {
  const events = await readExample('legacy-half-duplex.jsonl')
  const find = (type: string) => events.find((event) => event.type === type)?.session
  const client = await openSession(await makeWorld('qwen3-omni-half-duplex'), find('session.update'))
  for (const type of ['session.created', 'session.updated']) {
    expect(client.of(type)[0]?.session).toEqual({ ...find(type), id: 'sess_1' })
  }
})
