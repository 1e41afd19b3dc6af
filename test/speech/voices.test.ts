import { beforeAll, describe, expect, test } from 'vitest'
import { VOICES } from '../../src/speech/voice.js'
import { loadSynthesizer, type Synthesizer } from '../../src/speech/voices.io.js'

let synthesizer: Synthesizer
beforeAll(async () => {
  synthesizer = await loadSynthesizer()
})

const text = 'Is this thing on?'

describe.each(VOICES)('voice %s', (voice) => {
  test('speaks at 16 kHz, and the same samples each time', () => {
    const first = synthesizer.synthesize({ voice, text })
    expect(first.sampleRateHz).toBe(16000)
    expect(first.pcm.length / 16000).toBeGreaterThan(0.7)
    expect(first.pcm.length / 16000).toBeLessThan(3)
    expect(first.pcm.some((sample) => Math.abs(sample) > 3000)).toBe(true)
    expect(synthesizer.synthesize({ voice, text })).toEqual(first)
  })
})

test('another loading, another order of utterances, the same samples', async () => {
  const other = await loadSynthesizer()
  other.synthesize({ voice: 'awb', text: 'Something else first.' })
  expect(other.synthesize({ voice: 'slt', text })).toEqual(synthesizer.synthesize({ voice: 'slt', text }))
})

test('voices differ, and so do texts', () => {
  const lengths = VOICES.map((voice) => synthesizer.synthesize({ voice, text }).pcm.length)
  expect(new Set(lengths).size).toBe(VOICES.length)
  const longer = synthesizer.synthesize({ voice: 'slt', text: `${text} Is this thing really on?` })
  expect(longer.pcm.length).toBeGreaterThan(1.5 * (lengths[0] ?? 0))
})

test.each(['-h', '--seti x=1', 'a "quoted" word', 'Müller & Söhne', '/etc/passwd'])(
  '%s is spoken, not understood as an option or a file',
  (spoken) => {
    expect(synthesizer.synthesize({ voice: 'slt', text: spoken }).pcm.length).toBeGreaterThan(3000)
  },
)

test.each(['', ' \n', 'a\0b'])('a text of %j is our own mistake and throws', (wordless) => {
  expect(() => synthesizer.synthesize({ voice: 'slt', text: wordless })).toThrow('an utterance has words')
})
