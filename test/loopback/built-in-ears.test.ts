/** The real detector and the built-in clips: what the loopback does by default, without a server around it. */
import { expect, test } from 'vitest'
import { TurnDetector } from '../../src/loopback/turn-detector.js'
import { loadListeners } from '../../src/loopback/voices-and-ears.io.js'
import { builtInClips } from '../../src/speech/clips.io.js'

test.each([16_000, 24_000])(
  'hears the words of every built-in clip and the silence after them, at %i Hz',
  async (rate) => {
    const listeners = await loadListeners('speech')
    for (const { id, pcm } of await builtInClips(rate)) {
      const listener = listeners(rate)
      const unit = (rate * 80) / 1000
      let speechMs = 0
      let silenceMs = 0
      for (let from = 0; from < pcm.length; from += unit) {
        const heard = await listener.hear(pcm.subarray(from, from + unit))
        speechMs += heard.speechMs
        silenceMs = heard.silenceMs
      }
      expect({ id, hasWords: speechMs > 500, endsSilent: silenceMs > 1000 }).toEqual({
        id,
        hasWords: true,
        endsSilent: true,
      })
    }
  },
)

test('one turn in every built-in clip, that ends before the clip does', async () => {
  const listeners = await loadListeners('speech')
  for (const { id, pcm } of await builtInClips(16_000)) {
    const told: string[] = []
    const detector = new TurnDetector({
      sampleRateHz: 16_000,
      listener: listeners(16_000),
      silenceMs: 800,
      prefixPaddingMs: 300,
      onStarted: () => told.push('started'),
      onStopped: (ms) => told.push(ms < (pcm.length - 16_000) / 16 ? 'stopped' : 'late'),
    })
    for (let from = 0; from < pcm.length; from += 1280) detector.hear(pcm.subarray(from, from + 1280))
    await new Promise<void>((resolve) => detector.whenHeard(resolve))
    expect({ id, told }).toEqual({ id, told: ['started', 'stopped'] })
  }
})
