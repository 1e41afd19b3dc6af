import { expect, test } from 'vitest'
import {
  type ConversationSettings,
  interruptConversation,
  START_OF_CONVERSATION,
  stepConversation,
} from '../../src/loopback/conversation.js'
import type { Heard } from '../../src/loopback/hearing.js'

const reply = (text: string, samples: number) => ({ text, voice: 'test', pcm: new Int16Array(samples).fill(1) })
const SETTINGS: ConversationSettings = {
  replies: [reply('one two three', 25), reply('yes', 10)],
  order: [0, 1],
  unitSamples: 10,
  forceListenUnits: 0,
}

/** `S` speech to the end of the unit, `s` speech and then long silence, `.` short silence, `_` long silence. */
const HEARD: Readonly<Record<string, Heard>> = {
  S: { speechMs: 64, silenceMs: 0 },
  s: { speechMs: 64, silenceMs: 320 },
  '.': { speechMs: 0, silenceMs: 299 },
  _: { speechMs: 0, silenceMs: 300 },
}

const PATIENCE_MS = 300

/** @returns for each unit `[` where a reply starts, the samples said, `]` where it ends, and the words */
function run(heard: string, settings: Partial<ConversationSettings> = {}): string[] {
  let state = START_OF_CONVERSATION
  return [...heard].map((letter) => {
    const now = HEARD[letter] ?? { speechMs: 0, silenceMs: 0 }
    const step = stepConversation({ ...SETTINGS, ...settings }, state, now, PATIENCE_MS)
    state = step.state
    const { starts, ends, audio, text } = step.speech
    return `${starts ? '[' : ''}${audio.length}${ends ? ']' : ''}${text}`
  })
}

test.each<{ name: string; heard: string; settings?: Partial<ConversationSettings>; expected: string[] }>([
  { name: 'silence alone is not answered', heard: '___', expected: ['0', '0', '0'] },
  {
    name: 'a reply starts when the silence is long enough, runs through and stops',
    heard: 'S.____',
    expected: ['0', '0', '[10one', '10 two', '5] three', '0'],
  },
  {
    name: 'a reply starts in the unit in which speech ended, and a short one ends in it',
    heard: 's',
    settings: { order: [1] },
    expected: ['[10]yes'],
  },
  {
    name: 'speech during a reply ends it, and is answered with the next reply',
    heard: 'S_S._',
    expected: ['0', '[10one', '0]', '0', '[10]yes'],
  },
  {
    name: 'short speech during a reply is answered in the unit after the one that yields',
    heard: 's_s_',
    expected: ['[10one', '10 two', '0]', '[10]yes'],
  },
  {
    name: 'nothing starts while the model is forced to listen, and what was said then is answered after',
    heard: 's___',
    settings: { forceListenUnits: 2 },
    expected: ['0', '0', '[10one', '10 two'],
  },
  {
    name: 'the replies start over when all have been given',
    heard: 'sss',
    settings: { replies: [reply('yes', 10)], order: [0] },
    expected: ['[10]yes', '[10]yes', '[10]yes'],
  },
  {
    name: 'a model without replies stays silent',
    heard: 's_',
    settings: { replies: [], order: [] },
    expected: ['0', '0'],
  },
])('$name', ({ heard, settings, expected }) => {
  expect(run(heard, settings)).toEqual(expected)
})

test('an interrupted reply is not taken up again, and the user must speak first', () => {
  const silent = { speechMs: 0, silenceMs: 500 }
  const started = stepConversation(SETTINGS, START_OF_CONVERSATION, { speechMs: 64, silenceMs: 320 }, PATIENCE_MS)
  const interrupted = interruptConversation(started.state, silent)
  expect(interrupted.speech).toMatchObject({ starts: false, ends: true, text: '' })
  const after = stepConversation(SETTINGS, interrupted.state, silent, PATIENCE_MS)
  expect(after.speech).toMatchObject({ starts: false, ends: false })
})
