/**
 * Where the words of labelled speech stand in their clip. Everything is laid out around whole seconds, because models that
 * hear in units of 1 s decide at the end of one, and would otherwise differ by chance. Samples in, samples out.
 *
 *   whole seconds        |            1            2            3            4            5            6            7
 *   pause            .. words .. [---pause---] words                 most of a pause lies before the second in it
 *                                           ^2
 *   turn end         .. words .........E ......................      E falls early in a unit, which hears the silence
 *                                     ^2                      ^5
 *   interruption     .. words E ........................ S words R ................................
 *                            ^1                             ^5                                    ^8
 */
import { assert } from '../base/errors.js'

/** A phrase as it is put into a clip: its first and last audible samples, with what was kept around them. */
export interface Phrase {
  readonly pcm: Int16Array
  /** The audible part, from its first sample to the one after its last. */
  readonly startSample: number
  readonly endSample: number
}

export interface LaidOut {
  readonly pcm: Int16Array
  /** The audible part of each phrase, on the clip. */
  readonly phrases: readonly { readonly startSample: number; readonly endSample: number }[]
}

/** The rate of the voices, at which everything here counts. */
export const LAYOUT_RATE_HZ = 16_000
const SAMPLES_PER_MS = LAYOUT_RATE_HZ / 1000

/** Least silence before the first word: room for a detector to settle. */
const LEAD_MS_MIN = 200
/** From the whole second before the end of the user's last turn to the end of the clip. */
const ANSWER_S = 3
/** From the whole second before the question's end to the one before the interruption's end. */
const INTERRUPTION_AFTER_S = 4

/** Phrases of one sentence with pauses between them; the first pause stands across a whole second, from 2 s on. */
export function layOutPauses(
  phrases: readonly Phrase[],
  timing: { readonly pausesMs: readonly number[]; readonly beforeSecondMs: number; readonly tailMs: number },
): LaidOut {
  const { pausesMs, beforeSecondMs, tailMs } = timing
  assert(phrases.length >= 2 && pausesMs.length === phrases.length - 1, 'a pause stands between each two phrases')
  const before = samplesOfMs(beforeSecondMs)
  const [first] = phrases as [Phrase, ...Phrase[]]
  // No model answers in its first unit, so a pause in it would test nothing.
  const second = Math.max(2, secondsAfter(audibleSamples(first) + samplesOfMs(LEAD_MS_MIN) + before))
  let start = second * LAYOUT_RATE_HZ - before - audibleSamples(first)
  const starts = phrases.map((phrase, index) => {
    const at = start
    start += audibleSamples(phrase) + samplesOfMs(pausesMs[index] ?? 0)
    return at
  })
  return place(phrases, starts, start + samplesOfMs(tailMs))
}

/** A question that ends `endPhaseMs` after a whole second, and 3 s from that second to the end. */
export function layOutTurnEnd(question: Phrase, { endPhaseMs }: { readonly endPhaseMs: number }): LaidOut {
  const second = firstEndSecond(question, endPhaseMs)
  const start = second * LAYOUT_RATE_HZ + samplesOfMs(endPhaseMs) - audibleSamples(question)
  return place([question], [start], (second + ANSWER_S) * LAYOUT_RATE_HZ)
}

/** A question, and an interruption that ends 4 s (and the difference of the phases) after it. */
export function layOutInterruption(
  question: Phrase,
  interruption: Phrase,
  phases: { readonly questionPhaseMs: number; readonly endPhaseMs: number },
): LaidOut {
  const second = firstEndSecond(question, phases.questionPhaseMs)
  const questionEnd = second * LAYOUT_RATE_HZ + samplesOfMs(phases.questionPhaseMs)
  const endSecond = second + INTERRUPTION_AFTER_S
  const end = endSecond * LAYOUT_RATE_HZ + samplesOfMs(phases.endPhaseMs)
  const starts = [questionEnd - audibleSamples(question), end - audibleSamples(interruption)]
  return place([question, interruption], starts, (endSecond + ANSWER_S) * LAYOUT_RATE_HZ)
}

/** The first whole second after which the question can have ended by then; 1 or later, since no model answers before. */
function firstEndSecond(question: Phrase, phaseMs: number): number {
  return Math.max(1, secondsAfter(samplesOfMs(LEAD_MS_MIN - phaseMs) + audibleSamples(question)))
}

function place(phrases: readonly Phrase[], starts: readonly number[], samples: number): LaidOut {
  const pcm = new Int16Array(samples)
  let free = 0
  const placed = phrases.map((phrase, index) => {
    const startSample = starts[index] as number
    const from = startSample - phrase.startSample
    assert(from >= free && from + phrase.pcm.length <= samples, 'phrases fit into the clip, one after the other')
    pcm.set(phrase.pcm, from)
    free = from + phrase.pcm.length
    return { startSample, endSample: startSample + audibleSamples(phrase) }
  })
  return { pcm, phrases: placed }
}

function audibleSamples({ startSample, endSample }: Phrase): number {
  return endSample - startSample
}

function secondsAfter(samples: number): number {
  return Math.ceil(samples / LAYOUT_RATE_HZ)
}

function samplesOfMs(ms: number): number {
  return Math.round(ms * SAMPLES_PER_MS)
}
