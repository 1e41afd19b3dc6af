/**
 * The loopback server without its sockets: who gets in, which sessions there are, and what they share. Whatever carries
 * the frames (`server.io.ts`, `in-memory.ts`) asks it for each new connection.
 *
 * Two gates, as in the servers of the field: a slot for the socket, or HTTP 503; then, with the first `session.update`, a
 * slot in the model's memory, or `admission_rejected`. A session that is torn down may keep both a little longer.
 */
import type { Clock } from '../base/clock.js'
import { US_PER_MS } from '../base/clock.js'
import type { Profile } from '../profile/profile.js'
import { deriveSeed, seededRandom } from '../stats/random.js'
import { Accelerator } from './accelerator.js'
import type { Reply } from './conversation.js'
import { capabilitiesOf, type Deployment, deploymentOf } from './deployment.js'
import type { ListenerFactory } from './hearing.js'
import { NativeConversation } from './native-conversation.js'
import { NativeSession } from './native-session.js'
import type { SessionTransport } from './native-session-parts.js'
import { continuousVoice, replyingVoice } from './native-voice.js'
import { acceleratorSettings, type LoopbackOptions } from './options.js'
import type { SessionConfig } from './session-update.js'

export interface LoopbackCoreParts {
  readonly profile: Profile
  readonly options: LoopbackOptions
  readonly clock: Clock
  /** At the profile's output rate; without any the model never speaks. */
  readonly replies: readonly Reply[]
  readonly listeners: ListenerFactory
}

/** Running totals, for metrics and tests. */
export interface LoopbackStats {
  readonly sessionsOpen: number
  readonly sessionsTotal: number
  /** Upgrades answered with 503. */
  readonly sessionsDenied: number
  /** Updates answered with `admission_rejected`. */
  readonly admissionsRejected: number
  readonly batches: number
  readonly units: number
  readonly acceleratorBusyUs: number
  readonly stalls: number
  readonly outOfMemory: number
  readonly queueLength: number
}

/** The outcome of an upgrade request. */
export type Connection =
  | { readonly kind: 'accepted'; readonly session: NativeSession }
  | { readonly kind: 'refused'; readonly httpStatus: 503 }
  /** The socket opens and is closed at once. */
  | { readonly kind: 'closed'; readonly code: 1008; readonly reason: string }

/** Level of the noise that a continuous model sends while it says nothing: far below anything a detector hears. */
const QUIET_AMPLITUDE = 3

export class LoopbackCore {
  readonly deployment: Deployment
  readonly accelerator: Accelerator
  readonly #parts: LoopbackCoreParts
  readonly #quietFrame: Int16Array
  readonly #sessions = new Set<NativeSession>()
  #slotsHeld = 0
  #modelSlotsHeld = 0
  #sessionsTotal = 0
  #sessionsDenied = 0
  #admissionsRejected = 0

  /** @throws UserError for a profile that the loopback cannot serve */
  constructor(parts: LoopbackCoreParts) {
    this.#parts = parts
    this.deployment = deploymentOf(parts.profile, parts.options)
    this.accelerator = new Accelerator(parts.clock, acceleratorSettings(parts.options, this.deployment.unitMs))
    const noise = seededRandom(deriveSeed(parts.options.seed, 'noise'))
    this.#quietFrame = Int16Array.from(
      { length: this.deployment.frameSamples },
      () => noise.integer(2 * QUIET_AMPLITUDE + 1) - QUIET_AMPLITUDE,
    )
  }

  get stats(): LoopbackStats {
    const { batches, units, busyUs, stalls, outOfMemory } = this.accelerator.counters
    return {
      sessionsOpen: this.#sessions.size,
      sessionsTotal: this.#sessionsTotal,
      sessionsDenied: this.#sessionsDenied,
      admissionsRejected: this.#admissionsRejected,
      batches,
      units,
      acceleratorBusyUs: busyUs,
      stalls,
      outOfMemory,
      queueLength: this.accelerator.queueLength,
    }
  }

  capabilities(): Record<string, unknown> {
    return capabilitiesOf(this.deployment)
  }

  /**
   * Someone asks for the realtime endpoint. An accepted session waits for `open()`.
   * @param query the URL's query, without the question mark
   */
  connect(transport: SessionTransport, query = ''): Connection {
    const search = new URLSearchParams(query)
    const model = search.get('model')
    if (model !== null && model !== this.deployment.model) {
      return { kind: 'closed', code: 1008, reason: `this deployment serves ${this.deployment.model}` }
    }
    if (search.has('session_id')) return { kind: 'closed', code: 1008, reason: 'sessions cannot be resumed' }
    if (this.#slotsHeld >= this.#parts.options.maxSessions) {
      this.#sessionsDenied += 1
      return { kind: 'refused', httpStatus: 503 }
    }
    return { kind: 'accepted', session: this.#startSession(transport) }
  }

  /** Ends every session in an orderly way. */
  shutDown(): void {
    for (const session of [...this.#sessions]) session.shutDown()
  }

  #startSession(transport: SessionTransport): NativeSession {
    const { clock, options, listeners } = this.#parts
    const { deployment, accelerator } = this
    const number = ++this.#sessionsTotal
    let holdsModelSlot = false
    const release = () => {
      this.#slotsHeld -= 1
      if (holdsModelSlot) this.#modelSlotsHeld -= 1
    }
    this.#slotsHeld += 1
    const session = new NativeSession({
      id: `sess_${number}`,
      deployment,
      options,
      clock,
      accelerator,
      transport,
      listener: listeners(deployment.inputRateHz),
      converse: (config) => this.#converse(number, config),
      admit: () => {
        holdsModelSlot = this.#admit()
        return holdsModelSlot
      },
      onEnd: () => {
        this.#sessions.delete(session)
        if (options.teardownMs === 0) release()
        else clock.at(clock.nowUs() + Math.round(options.teardownMs * US_PER_MS), release)
      },
    })
    this.#sessions.add(session)
    return session
  }

  #admit(): boolean {
    const { modelSlots } = this.#parts.options
    if (modelSlots !== null && this.#modelSlotsHeld >= modelSlots) {
      this.#admissionsRejected += 1
      return false
    }
    this.#modelSlotsHeld += 1
    return true
  }

  #converse(sessionNumber: number, { sampling }: SessionConfig): NativeConversation {
    const { options, replies } = this.#parts
    const { continuous, frameSamples } = this.deployment
    const order = seededRandom(deriveSeed(options.seed, `replies-${sessionNumber}`))
    const settings = {
      replies,
      order: order.shuffle(replies.map((_, index) => index)),
      unitSamples: frameSamples,
      forceListenUnits: continuous ? 0 : Number(sampling?.force_listen_count ?? options.forceListenCount),
      replyAfterSilenceMs: options.replyAfterSilenceMs,
    }
    const voice = continuous ? continuousVoice(this.deployment, this.#quietFrame) : replyingVoice()
    return new NativeConversation(settings, voice)
  }
}
