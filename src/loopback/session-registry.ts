/** The protocols that the loopback server speaks: what each one's server looks like from outside, and its sessions. */
import type { Profile, ProtocolName } from '../profile/profile.js'
import { capabilitiesOf, deploymentOf } from './deployment.js'
import { legacyCapabilities, legacyModel } from './legacy-document.js'
import { createLegacySession } from './legacy-session.js'
import { createNativeSession } from './native-session.js'
import { createOpenAiSession } from './openai-session.js'
import type { LoopbackOptions } from './options.js'
import type { LoopbackSession, LoopbackSessionParts } from './session.js'
import { createTurnBasedSession } from './turn-based-session.js'
import { createVllmSession } from './vllm-session.js'

/** What a protocol's server is before anyone has connected. */
export interface ServedProtocol {
  /** The one entry of `GET /v1/models`. */
  readonly model: string
  /** The document of `GET /v1/realtime/capabilities`; undefined where a protocol has none, which is then not found. */
  readonly capabilities: Record<string, unknown> | undefined
  /** `?model=` must name the model, and `?session_id=` is refused: there is no resume. The others get the query as it is. */
  readonly checksQuery: boolean
  /** A full server accepts the socket and has the session refuse; the others answer the upgrade with HTTP 503. */
  readonly refusesInBand: boolean
  /** Sessions that the model has memory for, where the options do not say; null for no limit. */
  readonly modelSlots: number | null
}

interface ProtocolEntry {
  readonly describe: (profile: Profile, options: LoopbackOptions) => ServedProtocol
  readonly create: (parts: LoopbackSessionParts) => LoopbackSession
}

const NO_LIMITS = { refusesInBand: false, modelSlots: null } as const
/** A cascade's graph takes this many sessions at once. Source: docs/protocols.md, 3.1. */
const CASCADE_SLOTS = 16

const PROTOCOLS: Readonly<Record<ProtocolName, ProtocolEntry>> = {
  native: {
    describe: (...served) => ({ ...describeDeployment(...served), ...NO_LIMITS }),
    create: createNativeSession,
  },
  'turn-based': {
    describe: (...served) => ({ ...describeDeployment(...served), ...NO_LIMITS, modelSlots: CASCADE_SLOTS }),
    create: createTurnBasedSession,
  },
  'legacy-half-duplex': {
    describe: (profile) => ({
      model: legacyModel(profile),
      capabilities: legacyCapabilities(profile),
      checksQuery: true,
      ...NO_LIMITS,
    }),
    create: createLegacySession,
  },
  'openai-realtime': {
    describe: ({ model = 'gpt-realtime' }) => ({ model, capabilities: undefined, checksQuery: false, ...NO_LIMITS }),
    create: createOpenAiSession,
  },
  'vllm-duplex': {
    describe: ({ model = 'openbmb/MiniCPM-o-4_5' }) => ({
      ...{ model, capabilities: undefined, checksQuery: false },
      ...{ refusesInBand: true, modelSlots: null },
    }),
    create: createVllmSession,
  },
}

/** @throws UserError for a profile that cannot be served */
export function servedProtocol(profile: Profile, options: LoopbackOptions): ServedProtocol {
  return PROTOCOLS[profile.protocol].describe(profile, options)
}

export function createSession(parts: LoopbackSessionParts): LoopbackSession {
  return PROTOCOLS[parts.profile.protocol].create(parts)
}

function describeDeployment(profile: Profile, options: LoopbackOptions) {
  const deployment = deploymentOf(profile, options)
  return { model: deployment.model, capabilities: capabilitiesOf(deployment), checksQuery: true }
}
