/**
 * From what the model says to what its deployment sends in each unit. Two kinds: a model that is silent while it listens
 * opens a response for each reply; a continuous model has one response for the session and a frame in every unit, quiet
 * while it does not speak, and its codec may keep a short tail back until the input ends.
 *
 *   frames, continuous:   unit 0: lead frames + 1     unit i: 1     end unit (0 ms): none, only what the codec kept
 */
import type { UnitSpeech } from './conversation.js'
import type { Deployment } from './deployment.js'
import type { ResponseEnd } from './response-writer.js'

export interface UnitVoice {
  readonly starts: boolean
  readonly audio: Int16Array
  readonly text: string
  readonly ends: ResponseEnd | undefined
}

export interface NativeVoice {
  /** @param isLast no unit will follow: an open response must end here */
  say(speech: UnitSpeech, isLast: boolean): UnitVoice
  /** The empty unit at the end of an input that is a whole number of units. */
  end(): UnitVoice
}

const COMPLETED: ResponseEnd = { status: 'completed', reason: 'stop' }
const NO_AUDIO = new Int16Array(0)

/** The reply is over: its audio is through, or the user has spoken, or there is no more input to answer. */
export function replyingVoice(): NativeVoice {
  let isReplying = false
  return {
    say({ starts, ends, audio, text }, isLast) {
      const replies = isReplying || starts
      isReplying = replies && !ends && !isLast
      return { starts, audio, text, ends: replies && !isReplying ? COMPLETED : undefined }
    },
    end: () => ({ starts: false, audio: NO_AUDIO, text: '', ends: COMPLETED }),
  }
}

/** @param quietFrame what a frame holds where nothing is said; one unit long */
export function continuousVoice(deployment: Deployment, quietFrame: Int16Array): NativeVoice {
  let units = 0
  let hasText = false
  let spaceIsDue = false
  let kept = NO_AUDIO
  return {
    say({ audio, text, starts }, isLast) {
      const isFirst = units++ === 0
      const frame = Int16Array.from(quietFrame)
      frame.set(audio)
      const lead = isFirst ? Array.from({ length: deployment.leadFrames }, () => quietFrame) : []
      const all = concat([kept, ...lead, frame])
      const published = isLast ? all.length : all.length - deployment.codecTailSamples
      kept = all.slice(published)
      // All replies share one transcript: a space stands between two of them.
      spaceIsDue ||= starts && hasText
      const spokenText = spaceIsDue && text !== '' ? ` ${text}` : text
      if (text !== '') {
        hasText = true
        spaceIsDue = false
      }
      return {
        starts: isFirst,
        audio: all.subarray(0, published),
        text: spokenText,
        ends: isLast ? COMPLETED : undefined,
      }
    },
    end() {
      const audio = kept
      kept = NO_AUDIO
      return { starts: false, audio, text: '', ends: COMPLETED }
    },
  }
}

function concat(pieces: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const all = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
