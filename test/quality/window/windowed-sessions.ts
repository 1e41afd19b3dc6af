/** Sessions that have a window, to be spoilt, and what is said of them. */
import type { SessionRecording } from '../../../src/capture/recording.js'
import type { Profile } from '../../../src/profile/profile.js'
import { type SessionWindow, sessionWindow } from '../../../src/quality/window/session-window.js'
import { LEGACY, NATIVE, TURN_BASED } from '../../helpers/measured-levels.js'
import { BuiltSession, type SessionPlan } from '../../helpers/session-builder.js'
import type { TraceDraft } from '../../helpers/trace-mutations.js'

/** One second of input, which is also the window. */
export const INPUT_SAMPLES = 16_000
export const INPUT_US = 1_000_000

const SESSIONS: Partial<Readonly<Record<Profile['protocol'], SessionPlan['session']>>> = {
  native: { output_modalities: ['audio'], audio: { output: { format: { type: 'audio/pcm', rate: 24_000 } } } },
  'turn-based': {
    output_modalities: ['text', 'audio'],
    audio: {
      input: { turn_detection: { type: 'server_vad', silence_duration_ms: 500 } },
      output: { format: { type: 'audio/pcm', rate: 24_000 } },
    },
  },
}

export function windowedSession(plan: Partial<SessionPlan> = {}): BuiltSession {
  const profile = plan.profile ?? NATIVE
  const session = SESSIONS[profile.protocol]
  return new BuiltSession({
    profile,
    inputSamples: INPUT_SAMPLES,
    ...(session === undefined ? {} : { session }),
    ...plan,
  })
}

export interface Spoiling {
  readonly plan?: Partial<SessionPlan>
  readonly trace?: (draft: TraceDraft) => void
  readonly recording?: (recording: SessionRecording) => Partial<SessionRecording>
  readonly windowSamples?: number
}

export function windowOf({ plan = {}, trace, recording, windowSamples }: Spoiling): SessionWindow {
  const built = windowedSession(plan)
  const draft = built.draft()
  trace?.(draft)
  const whole = built.recording({ lines: draft.toLines() })
  return sessionWindow({
    recording: { ...whole, ...recording?.(whole) },
    profile: built.profile,
    windowSamples,
    admissionRetryLimit: 3,
    bookReasons: [],
  })
}

/** Codes of the reasons; empty for a session that has a window. */
export function reasonsFor(spoiling: Spoiling): string[] {
  const made = windowOf(spoiling)
  return made.ok ? [] : made.reasons.map(({ code }) => code)
}

export { LEGACY, NATIVE, TURN_BASED }
