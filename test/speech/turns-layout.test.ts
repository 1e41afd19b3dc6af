import { describe, expect, test } from 'vitest'
import { interruptionAnnotation, pauseAnnotation, turnEndAnnotation } from '../../src/speech/turns-annotations.js'
import { type LaidOut, layOutInterruption, layOutPauses, layOutTurnEnd } from '../../src/speech/turns-layout.js'

/** Ones, with 20 ms of twos on both sides that are not audible. */
function phrase(audibleMs: number) {
  const [margin, audible] = [320, audibleMs * 16]
  const pcm = new Int16Array(audible + 2 * margin).fill(2)
  pcm.fill(1, margin, margin + audible)
  return { pcm, startSample: margin, endSample: margin + audible }
}

/** Bounds of each phrase in ms, after a look at the samples: the audible ones stand exactly there. */
function boundsOf({ pcm, phrases }: LaidOut): number[][] {
  for (const [index, { startSample, endSample }] of phrases.entries()) {
    expect(pcm.subarray(startSample, endSample).every((sample) => sample === 1)).toBe(true)
    const around = [pcm[startSample - 1], pcm[endSample], pcm[startSample - 321], pcm[endSample + 320] ?? 0]
    expect(around, `phrase ${index}`).toEqual([2, 2, 0, 0])
  }
  expect(pcm.filter((sample) => sample === 1)).toHaveLength(
    phrases.reduce((sum, p) => sum + p.endSample - p.startSample, 0),
  )
  return phrases.map(({ startSample, endSample }) => [startSample / 16, endSample / 16])
}

const msOf = ({ pcm }: LaidOut) => pcm.length / 16

describe('a sentence with pauses', () => {
  test.each([
    { name: 'short', firstMs: 700, startsAtMs: 740, secondMs: 2000 },
    { name: 'as long as fits', firstMs: 1240, startsAtMs: 200, secondMs: 2000 },
    { name: 'longer than that', firstMs: 1241, startsAtMs: 1199, secondMs: 3000 },
  ])('has most of its first pause before a second, from 2 s on: first phrase $name', (row) => {
    const { firstMs, startsAtMs, secondMs } = row
    const timing = { pausesMs: [640, 600], beforeSecondMs: 560, tailMs: 200 }
    const laidOut = layOutPauses([phrase(firstMs), phrase(1000), phrase(500)], timing)
    const [first, second, third] = boundsOf(laidOut)
    expect(first).toEqual([startsAtMs, secondMs - 560])
    expect(second).toEqual([secondMs + 80, secondMs + 1080])
    expect(third).toEqual([secondMs + 1680, secondMs + 2180])
    expect(msOf(laidOut)).toBe(secondMs + 2380)
    expect(JSON.parse(pauseAnnotation(laidOut).text)).toEqual([
      { text: '[PAUSE]', timestamp: [(secondMs - 560) / 1000, (secondMs + 80) / 1000] },
      { text: '[PAUSE]', timestamp: [(secondMs + 1080) / 1000, (secondMs + 1680) / 1000] },
    ])
  })

  test('has a pause between each two phrases', () => {
    const timing = { pausesMs: [640, 600], beforeSecondMs: 560, tailMs: 200 }
    expect(() => layOutPauses([phrase(700), phrase(700)], timing)).toThrow('between each two phrases')
  })
})

test.each([
  { name: 'short', ms: 300, endsAtMs: 1050 },
  { name: 'as long as fits', ms: 1850, endsAtMs: 2050 },
  { name: 'longer than that', ms: 1851, endsAtMs: 3050 },
])('a turn ends soon after a second, and 3 s after it the clip: $name', ({ ms, endsAtMs }) => {
  const laidOut = layOutTurnEnd(phrase(ms), { endPhaseMs: 50 })
  expect(boundsOf(laidOut)).toEqual([[endsAtMs - ms, endsAtMs]])
  expect(msOf(laidOut)).toBe(endsAtMs + 2950)
  expect(turnEndAnnotation(laidOut)).toMatchObject({ file: 'turn_taking.json' })
  expect(JSON.parse(turnEndAnnotation(laidOut).text)).toEqual([
    { text: '[TURN-TAKING]', timestamp: [endsAtMs / 1000, (endsAtMs + 200) / 1000] },
  ])
})

test('an interruption ends in the fourth second after the question', () => {
  const laidOut = layOutInterruption(phrase(700), phrase(1500), { questionPhaseMs: 60, endPhaseMs: 110 })
  expect(boundsOf(laidOut)).toEqual([
    [360, 1060],
    [3610, 5110],
  ])
  expect(msOf(laidOut)).toBe(8000)
  const { file, text } = interruptionAnnotation(laidOut, { question: 'Who?', interruption: 'Stop.' })
  expect(file).toBe('interrupt.json')
  expect(JSON.parse(text)).toEqual([{ context: 'Who?', interrupt: 'Stop.', timestamp: [3.61, 5.11] }])
})

test('phrases that do not fit are refused', () => {
  const phases = { questionPhaseMs: 60, endPhaseMs: 110 }
  expect(() => layOutInterruption(phrase(700), phrase(4040), phases)).toThrow('one after the other')
})
