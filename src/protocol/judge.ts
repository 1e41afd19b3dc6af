/** The one way into the verdicts: chooses the rules by the profile's protocol. */
import type { ProtocolName } from '../profile/profile.js'
import { judgeLegacySession } from './legacy-half-duplex/verdict.js'
import { judgeNativeSession } from './native/verdict.js'
import { judgeOpenAiRealtimeSession } from './openai-realtime/verdict.js'
import { judgeTurnBasedSession } from './turn-based/verdict.js'
import type { JudgeSession } from './verdict.js'
import { judgeVllmDuplexSession } from './vllm-duplex/verdict.js'

const JUDGES: Readonly<Record<ProtocolName, JudgeSession>> = {
  native: judgeNativeSession,
  'turn-based': judgeTurnBasedSession,
  'legacy-half-duplex': judgeLegacySession,
  'openai-realtime': judgeOpenAiRealtimeSession,
  'vllm-duplex': judgeVllmDuplexSession,
}

export const judgeSession: JudgeSession = (input) => JUDGES[input.profile.protocol](input)
