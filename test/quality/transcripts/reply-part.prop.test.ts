import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microsecondsOf } from '../../../src/base/microseconds.js'
import { cutSampleOf, onWindow, partToTranscribe } from '../../../src/quality/transcripts/reply-part.js'

const word = (startS: number, endS: number | null = startS + 0.25) => ({ text: 'w', startS, endS })

describe('cut at R', () => {
  it.each([
    [0, 0],
    [1, 16_000],
    [4.28, 68_480],
    [6.32000000000005, 101_120],
    [3.319999999999993, 53_120],
    // Between samples: the sample before R is the first.
    [0.0001, 1],
    [0.000124, 1],
    [0.000125, 2],
  ])('%f s is sample %i', (cutS, sample) => expect(cutSampleOf(cutS)).toBe(sample))

  it('takes the samples from there on, all without a cut, none behind the end', () => {
    const pcm = Int16Array.from({ length: 16 }, (_, index) => index)
    expect([...partToTranscribe(pcm, 0.000875)]).toEqual([14, 15])
    expect(partToTranscribe(pcm, null)).toHaveLength(16)
    expect(partToTranscribe(pcm, 0.001)).toHaveLength(0)
    expect(partToTranscribe(pcm, 1)).toHaveLength(0)
  })
})

describe('onWindow', () => {
  const placed = (words: ReturnType<typeof word>[], samples: number, cutS: number | null) => {
    const result = onWindow({ text: 't', words }, { samples, cutS })
    if (!result.ok) throw new Error(result.problem)
    return { words: result.transcript.words.map(({ startS, endS }) => [startS, endS]), moved: result.movedWords }
  }

  it('adds R, in whole microseconds', () => {
    expect(placed([word(0), word(0.1234567, null)], 16_000, 6.32000000000005)).toEqual({
      words: [
        [6.32, 6.57],
        [6.443457, null],
      ],
      moved: 0,
    })
  })

  it('leaves the times of a whole window as they are, an end behind T included', () => {
    expect(placed([word(0.5, 3)], 16_000, null)).toEqual({ words: [[0.5, 3]], moved: 0 })
  })

  it('moves starts a little outside of the audio to its ends, and says so', () => {
    expect(placed([word(-0.08, 0.1), word(1.05, 1.2)], 16_000, 2)).toEqual({
      words: [
        [2, 2.1],
        [3, 3.2],
      ],
      moved: 2,
    })
  })

  it('an end before the start becomes the start', () => {
    expect(placed([word(0.5, 0.25)], 16_000, null).words).toEqual([[0.5, 0.5]])
  })

  it.each([-0.2, 1.2, 1e12])('refuses a start at %f s of 1 s', (startS) => {
    expect(onWindow({ text: '', words: [word(startS)] }, { samples: 16_000, cutS: null }).ok).toBe(false)
  })

  it('no start is before R or behind T, whatever R is', () => {
    const anyCase = fc.record({
      cutS: fc.double({ min: 0, max: 9.5, noNaN: true }),
      total: fc.integer({ min: 160_000, max: 170_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(anyCase, ({ cutS, total, share }) => {
        const samples = partToTranscribe(new Int16Array(total), cutS).length
        const result = onWindow({ text: '', words: [word((samples / 16_000) * share)] }, { samples, cutS })
        if (!result.ok) return false
        const startUs = microsecondsOf(result.transcript.words[0]?.startS ?? Number.NaN)
        return startUs >= microsecondsOf(cutS) && startUs <= microsecondsOf(total / 16_000)
      }),
    )
  })
})
