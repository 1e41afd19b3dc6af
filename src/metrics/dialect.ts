/** Which events carry reply audio, and which cut what is queued of it. Source: docs/protocols.md. */
import { isObject } from '../base/json.js'
import type { ProtocolName } from '../profile/profile.js'

const OUTPUT_AUDIO = 'response.output_audio.delta'
/** The name of older servers and of the legacy dialect. */
const AUDIO = 'response.audio.delta'

export interface Dialect {
  readonly audioDeltas: ReadonlySet<string>
  /** `response.done` with status `cancelled` cuts its reply. */
  readonly isCutByCancelledDone?: boolean
  /** `output_audio_buffer.cleared` cuts the reply that it names. */
  readonly isCutByClear?: boolean
  /** `speech_started` cuts every open reply, unless the first update set `interrupt_response` to false. */
  readonly isCutBySpeech?: boolean
}

const DIALECTS: Readonly<Record<ProtocolName, Dialect>> = {
  native: { audioDeltas: new Set([OUTPUT_AUDIO]) },
  'turn-based': { audioDeltas: new Set([OUTPUT_AUDIO]), isCutByCancelledDone: true },
  'legacy-half-duplex': { audioDeltas: new Set([AUDIO]), isCutByClear: true, isCutBySpeech: true },
  'openai-realtime': { audioDeltas: new Set([OUTPUT_AUDIO, AUDIO]), isCutBySpeech: true },
  'vllm-duplex': { audioDeltas: new Set([OUTPUT_AUDIO, AUDIO]), isCutByCancelledDone: true, isCutByClear: true },
}

export function dialectOf(protocol: ProtocolName): Dialect {
  return DIALECTS[protocol]
}

/** Whether a first `session.update` with this `session` lets the user interrupt a reply. */
export function mayInterrupt(session: unknown): boolean {
  const detection = turnDetectionOf(session)
  return !(isObject(detection) && detection.interrupt_response === false)
}

/** At the top of `session` in the legacy dialect and the older names, under `audio.input` in the newer ones. */
function turnDetectionOf(session: unknown): unknown {
  if (!isObject(session)) return undefined
  const input = isObject(session.audio) ? session.audio.input : undefined
  return isObject(input) && input.turn_detection !== undefined ? input.turn_detection : session.turn_detection
}
