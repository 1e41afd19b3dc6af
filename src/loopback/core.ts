/**
 * The loopback server without its sockets: who gets in, which sessions there are, and what they share. Whatever carries
 * the frames (`server.io.ts`, `in-memory.ts`) asks it for each new connection. What a session says is its protocol's
 * business (`session-registry.ts`).
 *
 * Two gates, as in the servers of the field: a slot for the socket, or HTTP 503 (or, where the protocol has it so, a
 * refusal by the session itself); then a slot in the model's memory, which the session asks for. A session that is torn
 * down may keep both a little longer.
 */
import type { Clock } from '../base/clock.js'
import { US_PER_MS } from '../base/clock.js'
import type { Profile } from '../profile/profile.js'
import { deriveSeed, seededRandom } from '../stats/random.js'
import { Accelerator } from './accelerator.js'
import type { Reply } from './conversation.js'
import type { ListenerFactory } from './hearing.js'
import { acceleratorSettings, jobMs, type LoopbackOptions } from './options.js'
import type { LoopbackSession, SessionTransport } from './session.js'
import { createSession, type ServedProtocol, servedProtocol } from './session-registry.js'

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
  /** Connections refused for want of a slot: upgrades answered with 503, or refusals on an open socket. */
  readonly sessionsDenied: number
  /** Sessions that the model had no memory for. */
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
  | { readonly kind: 'accepted'; readonly session: LoopbackSession }
  | { readonly kind: 'refused'; readonly httpStatus: 503 }
  /** The socket opens and is closed at once. */
  | { readonly kind: 'closed'; readonly code: 1008; readonly reason: string }

export class LoopbackCore {
  readonly accelerator: Accelerator
  readonly #served: ServedProtocol
  readonly #parts: LoopbackCoreParts
  readonly #modelSlots: number | null
  readonly #sessions = new Set<LoopbackSession>()
  #connections = 0
  #slotsHeld = 0
  #modelSlotsHeld = 0
  #sessionsTotal = 0
  #sessionsDenied = 0
  #admissionsRejected = 0

  /** @throws UserError for a profile that the loopback cannot serve */
  constructor(parts: LoopbackCoreParts) {
    const { profile, options, clock } = parts
    this.#parts = parts
    this.#served = servedProtocol(profile, options)
    this.#modelSlots = options.modelSlots ?? this.#served.modelSlots
    this.accelerator = new Accelerator(clock, acceleratorSettings(options, jobMs(profile, options)))
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

  /** Name of the one model. */
  get model(): string {
    return this.#served.model
  }

  /** Undefined where the protocol has no such document. */
  capabilities(): Record<string, unknown> | undefined {
    const { capabilities } = this.#served
    return capabilities === undefined ? undefined : { ...capabilities, max_sessions: this.#parts.options.maxSessions }
  }

  /**
   * Someone asks for the realtime endpoint. An accepted session waits for `open()`.
   * @param query the URL's query, without the question mark
   */
  connect(transport: SessionTransport, query = ''): Connection {
    const { model, checksQuery, refusesInBand } = this.#served
    const search = new URLSearchParams(query)
    if (checksQuery && search.has('model') && search.get('model') !== model) {
      return { kind: 'closed', code: 1008, reason: `this deployment serves ${model}` }
    }
    if (checksQuery && search.has('session_id')) {
      return { kind: 'closed', code: 1008, reason: 'sessions cannot be resumed' }
    }
    const isOverCapacity = this.#slotsHeld >= this.#parts.options.maxSessions
    if (isOverCapacity) this.#sessionsDenied += 1
    if (isOverCapacity && !refusesInBand) return { kind: 'refused', httpStatus: 503 }
    return { kind: 'accepted', session: this.#startSession(transport, query, isOverCapacity) }
  }

  /** Ends every session in an orderly way. */
  shutDown(): void {
    for (const session of [...this.#sessions]) session.shutDown()
  }

  #startSession(transport: SessionTransport, query: string, isOverCapacity: boolean): LoopbackSession {
    const { profile, clock, options, listeners, replies } = this.#parts
    const number = ++this.#connections
    // A session that is there only to refuse holds nothing.
    const slots = isOverCapacity ? 0 : 1
    let modelSlots = 0
    const release = () => {
      this.#slotsHeld -= slots
      this.#modelSlotsHeld -= modelSlots
    }
    this.#slotsHeld += slots
    this.#sessionsTotal += slots
    const order = seededRandom(deriveSeed(options.seed, `replies-${number}`))
    const session = createSession({
      id: `sess_${number}`,
      profile,
      options,
      clock,
      accelerator: this.accelerator,
      transport,
      listeners,
      replies,
      replyOrder: order.shuffle(replies.map((_, index) => index)),
      query,
      isOverCapacity,
      othersOpen: () => Math.max(0, this.#sessions.size - 1),
      admit: () => {
        const isAdmitted = !isOverCapacity && this.#admit()
        if (isAdmitted) modelSlots = 1
        return isAdmitted
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
    if (this.#modelSlots !== null && this.#modelSlotsHeld >= this.#modelSlots) {
      this.#admissionsRejected += 1
      return false
    }
    this.#modelSlotsHeld += 1
    return true
  }
}
