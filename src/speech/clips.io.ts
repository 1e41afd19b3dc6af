/**
 * Stimuli and replies that need no files: synthesized when asked for, the same samples every time.
 *
 *   | 0.3 s silence | words, peak −6 dBFS | 1.5 to 2.2 s silence |
 */
import { type InputClip, makeInputClip, pcm16Bytes, sha256Hex } from '../dataset/input-clip.js'
import { resamplePcm16 } from '../dataset/normalize.js'
import { CLIP_SCRIPTS, REPLY_SCRIPTS } from './built-in-texts.js'
import { trimAndLevel, withSilence } from './shape-speech.js'
import type { Voice } from './voice.js'
import { loadSynthesizer } from './voices.io.js'

/** Room for a detector to settle, and for an onset that is found one or two windows early. */
const LEAD_MS = 300
/** Kept around the words when the voice's own silence is cut. */
const MARGIN_MS = 20

export interface BuiltInReply {
  readonly text: string
  readonly voice: Voice
  /** Mono at the rate asked for, the words alone, peak −6 dBFS. */
  readonly pcm: Int16Array
}

/**
 * The built-in input set: 18 requests by three voices in turn, 2 to 8 s each, subset `speech`, variant `input`. Two of
 * them are whole numbers of seconds, the others are not multiples of a packet. Costs about a second of one core.
 * @param targetRateHz the server's input rate; the voices speak at 16000 Hz, and other rates are resampled once
 */
export async function builtInClips(targetRateHz: number): Promise<InputClip[]> {
  const synthesizer = await loadSynthesizer()
  return CLIP_SCRIPTS.map(({ id, voice, text, tailMs, isWholeSeconds }) => {
    const { pcm: spoken, sampleRateHz } = synthesizer.synthesize({ voice, text })
    const pcm = withSilence(trimAndLevel(spoken, (MARGIN_MS * sampleRateHz) / 1000), {
      leadSamples: (LEAD_MS * sampleRateHz) / 1000,
      tailSamples: (tailMs * sampleRateHz) / 1000,
      sampleRateHz,
      isWholeSeconds: isWholeSeconds ?? false,
    })
    return makeInputClip({
      id,
      subset: 'speech',
      variant: 'input',
      sampleRateHz: targetRateHz,
      pcm: resamplePcm16(pcm, { fromHz: sampleRateHz, toHz: targetRateHz }),
      source: { file: null, sha256: sha256Hex(pcm16Bytes(pcm)) },
      normalization: sampleRateHz === targetRateHz ? [] : [`resampled ${sampleRateHz} Hz to ${targetRateHz} Hz`],
    })
  })
}

/**
 * What the built-in server answers: 10 replies of 2 to 7 s, without silence around them. Costs about a second of one core.
 * @param targetRateHz the server's output rate
 */
export async function builtInReplies(targetRateHz: number): Promise<BuiltInReply[]> {
  const synthesizer = await loadSynthesizer()
  return REPLY_SCRIPTS.map(({ voice, text }) => {
    const { pcm, sampleRateHz } = synthesizer.synthesize({ voice, text })
    const words = trimAndLevel(pcm, (MARGIN_MS * sampleRateHz) / 1000)
    return { text, voice, pcm: resamplePcm16(words, { fromHz: sampleRateHz, toHz: targetRateHz }) }
  })
}
