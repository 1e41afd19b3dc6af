/**
 * Labelled speech that needs no download: sentences with pauses, questions, and interruptions, with the annotations that
 * Full-Duplex-Bench v1.0 has beside its samples. Synthesized when asked for, the same samples and times every time. The
 * subsets have the names of the benchmark's, because the names say which metrics apply; the samples are our own.
 */
import { clipAnnotation, type InputClip, makeInputClip, pcm16Bytes, sha256Hex } from '../dataset/input-clip.js'
import { resamplePcm16 } from '../dataset/normalize.js'
import { audibleSpeech } from './shape-speech.js'
import { type AnnotationText, interruptionAnnotation, pauseAnnotation, turnEndAnnotation } from './turns-annotations.js'
import {
  LAYOUT_RATE_HZ,
  type LaidOut,
  layOutInterruption,
  layOutPauses,
  layOutTurnEnd,
  type Phrase,
} from './turns-layout.js'
import { INTERRUPTION_SCRIPTS, PAUSE_SCRIPTS, TURN_END_SCRIPTS } from './turns-texts.js'
import type { Voice } from './voice.js'
import { loadSynthesizer } from './voices.io.js'

/** Kept around the words when the voice's own silence is cut. */
const MARGIN_SAMPLES = (20 * LAYOUT_RATE_HZ) / 1000

type Speak = (voice: Voice, text: string) => Phrase

interface Labelled {
  readonly laidOut: LaidOut
  readonly annotation: AnnotationText
}

/**
 * The labelled input set: 12 samples each of `synthetic_pause_handling`, `candor_turn_taking` and
 * `synthetic_user_interruption`, ids `built-in-01` to `built-in-12`, variant `input`, 3 to 8 s each, three voices in turn.
 * Costs about a second of one core.
 * @param targetRateHz the server's input rate; the voices speak at 16000 Hz, and other rates are resampled once
 */
export async function builtInTurnClips(targetRateHz: number): Promise<InputClip[]> {
  const synthesizer = await loadSynthesizer()
  const speak: Speak = (voice, text) => audibleSpeech(synthesizer.synthesize({ voice, text }).pcm, MARGIN_SAMPLES)
  return [
    ...clipsOf('synthetic_pause_handling', pauseSamples(speak), targetRateHz),
    ...clipsOf('candor_turn_taking', turnEndSamples(speak), targetRateHz),
    ...clipsOf('synthetic_user_interruption', interruptionSamples(speak), targetRateHz),
  ]
}

function pauseSamples(speak: Speak): Labelled[] {
  return PAUSE_SCRIPTS.map(({ voice, phrases, ...timing }) => {
    const spoken = phrases.map((text) => speak(voice, text))
    const laidOut = layOutPauses(spoken, timing)
    return { laidOut, annotation: pauseAnnotation(laidOut) }
  })
}

function turnEndSamples(speak: Speak): Labelled[] {
  return TURN_END_SCRIPTS.map(({ voice, text, ...phase }) => {
    const laidOut = layOutTurnEnd(speak(voice, text), phase)
    return { laidOut, annotation: turnEndAnnotation(laidOut) }
  })
}

function interruptionSamples(speak: Speak): Labelled[] {
  return INTERRUPTION_SCRIPTS.map(({ voice, question, interruption, ...phases }) => {
    const laidOut = layOutInterruption(speak(voice, question), speak(voice, interruption), phases)
    return { laidOut, annotation: interruptionAnnotation(laidOut, { question, interruption }) }
  })
}

function clipsOf(subset: string, samples: readonly Labelled[], targetRateHz: number): InputClip[] {
  return samples.map(({ laidOut: { pcm }, annotation: { file, text } }, index) =>
    makeInputClip({
      id: `built-in-${String(index + 1).padStart(2, '0')}`,
      subset,
      variant: 'input',
      sampleRateHz: targetRateHz,
      pcm: resamplePcm16(pcm, { fromHz: LAYOUT_RATE_HZ, toHz: targetRateHz }),
      source: { file: null, sha256: sha256Hex(pcm16Bytes(pcm)) },
      normalization: targetRateHz === LAYOUT_RATE_HZ ? [] : [`resampled ${LAYOUT_RATE_HZ} Hz to ${targetRateHz} Hz`],
      windowSamples: pcm.length,
      annotation: clipAnnotation(file, text),
    }),
  )
}
