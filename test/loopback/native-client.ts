/** A client of the native protocol written for these tests alone, on the in-memory transport and the virtual clock. */
import { secondsFromUs } from '../../src/base/clock.js'
import type { Reply } from '../../src/loopback/conversation.js'
import { LoopbackCore } from '../../src/loopback/core.js'
import { energyListener } from '../../src/loopback/energy-listener.js'
import type { UnitListener } from '../../src/loopback/hearing.js'
import { connectInMemory, type InMemoryConnection } from '../../src/loopback/in-memory.js'
import { type LoopbackOptionsInput, loopbackOptionsSchema } from '../../src/loopback/options.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import type { Profile } from '../../src/profile/profile.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

// biome-ignore lint/suspicious/noExplicitAny: events are looked into freely here, and every look is an assertion
export type WireEvent = Record<string, any>

export interface World {
  readonly clock: VirtualClock
  readonly core: LoopbackCore
  readonly profile: Profile
}

export const PROFILE_NAMES = ['minicpmo-native', 'personaplex-native', 'nemotron-voicechat'] as const

export interface WorldExtras {
  readonly replies?: (profile: Profile) => Reply[]
  /** The listener answers with promises. */
  readonly isLate?: boolean
}

/** A server with a reply of 1.5 s, of one value that quiet frames never have. */
export async function makeWorld(
  profileName: string,
  options: LoopbackOptionsInput = {},
  { replies, isLate = false }: WorldExtras = {},
): Promise<World> {
  const profile = await loadProfile(profileName)
  const clock = new VirtualClock()
  const core = new LoopbackCore({
    profile,
    clock,
    options: loopbackOptionsSchema.parse({ jitter: 0, ...options }),
    replies: replies?.(profile) ?? [makeReply('Hello there my friend.', 1500, profile)],
    listeners: isLate ? lateListener : energyListener,
  })
  return { clock, core, profile }
}

function lateListener(sampleRateHz: number): UnitListener {
  const listener = energyListener(sampleRateHz)
  return { hear: async (pcm) => listener.hear(pcm) }
}

export const REPLY_SAMPLE = 1111

export function makeReply(text: string, ms: number, profile: Profile): Reply {
  const pcm = new Int16Array((ms * profile.output.sample_rate_hz) / 1000).fill(REPLY_SAMPLE)
  return { text, voice: 'test', pcm }
}

/** Loud and silent stretches in turn, beginning with a silent one; lengths in ms. */
export function makeInput(profile: Profile, ...stretchesMs: number[]): Int16Array {
  const rate = profile.input.sample_rate_hz
  const pieces = stretchesMs.map((ms, index) =>
    Int16Array.from({ length: (ms * rate) / 1000 }, (_, at) => (index % 2 === 0 ? 0 : at % 40 < 20 ? 8000 : -8000)),
  )
  return Int16Array.from(pieces.flatMap((piece) => [...piece]))
}

export class Client {
  readonly received: WireEvent[] = []
  readonly receivedAtUs: number[] = []
  readonly trace: { direction: string; time_s: number; event: WireEvent }[] = []
  closed: { code: number; reason: string } | undefined
  refused: number | undefined
  isOpen = false
  /** Called with each event, after it has been noted. */
  onEvent: (event: WireEvent) => void = () => {}
  readonly #connection: InMemoryConnection
  readonly #clock: VirtualClock
  #nextId = 0

  constructor({ clock, core }: World, query = '') {
    this.#clock = clock
    this.#connection = connectInMemory(core, clock, 1_000, query)
    this.#connection.onOpen = () => {
      this.isOpen = true
    }
    this.#connection.onMessage = (text) => {
      const event = JSON.parse(text) as WireEvent
      this.received.push(event)
      this.receivedAtUs.push(clock.nowUs())
      this.#note('receive', event)
      this.onEvent(event)
    }
    this.#connection.onClose = (code, reason) => {
      this.closed = { code, reason }
    }
    this.#connection.onRefused = (status) => {
      this.refused = status
    }
  }

  /** Sends an event with the next id. @returns the id */
  send(event: WireEvent): string {
    const complete = { event_id: `c${this.#nextId++}`, ...event }
    this.#note('send', complete)
    this.#connection.send(JSON.stringify(complete))
    return complete.event_id
  }

  sendText(text: string): void {
    this.#connection.send(text)
  }

  sendBinary(): void {
    this.#connection.sendBinary()
  }

  hangUp(): void {
    this.#connection.close()
  }

  types(): string[] {
    return this.received.map((event) => event.type)
  }

  of(type: string): WireEvent[] {
    return this.received.filter((event) => event.type === type)
  }

  errorCodes(): string[] {
    return this.of('error').map((event) => event.error.code)
  }

  #note(direction: string, event: WireEvent): void {
    this.trace.push({ direction, time_s: secondsFromUs(this.#clock.nowUs()), event })
  }
}

/** Connects and has a `session.update` granted. */
export async function openSession(
  world: World,
  session: WireEvent = { output_modalities: ['audio'] },
): Promise<Client> {
  const client = new Client(world)
  await world.clock.runUntil(world.clock.nowUs() + 10_000)
  client.send({ type: 'session.update', session })
  await world.clock.runUntil(world.clock.nowUs() + 10_000)
  return client
}

/** Sends input from now on, a packet every 80 ms, then the end. @returns the instant of the first packet */
export function streamInput(world: World, client: Client, input: Int16Array): number {
  const startUs = world.clock.nowUs()
  const endUs = sendPackets(world, client, input)
  world.clock.at(endUs, () => client.send({ type: 'sglang.input_audio.end' }))
  return startUs
}

/** A packet every 80 ms from now on. @returns the end of the input */
export function sendPackets(world: World, client: Client, input: Int16Array): number {
  const rate = world.profile.input.sample_rate_hz
  const packetSamples = (rate * 80) / 1000
  const startUs = world.clock.nowUs()
  for (let seq = 0; seq * packetSamples < input.length; seq += 1) {
    const from = seq * packetSamples
    world.clock.at(startUs + seq * 80_000, () => {
      client.send(append(input.slice(from, from + packetSamples), seq, (from * 1000) / rate))
    })
  }
  return startUs + Math.ceil((input.length * 1_000_000) / rate)
}

export function append(pcm: Int16Array, seq: number, tStartMs: number): WireEvent {
  const audio = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64')
  return { type: 'input_audio_buffer.append', audio, sglang: { seq, t_start_ms: tStartMs } }
}

/** A whole session: the input, drained, closed. */
export async function runSession(world: World, input: Int16Array, session?: WireEvent): Promise<Client> {
  const client = await openSession(world, session)
  client.onEvent = (event) => {
    if (event.type === 'sglang.input_audio.drained') client.send({ type: 'session.close' })
  }
  streamInput(world, client, input)
  await world.clock.runUntil(world.clock.nowUs() + 60_000_000)
  return client
}

export function samplesOf(delta: WireEvent): Int16Array {
  const bytes = Buffer.from(delta.delta, 'base64')
  return Int16Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(2 * index))
}

/** Events of the given unit: those that lead up to its `unit.done`, receipts of appends left out. */
export function eventsOfUnit(client: Client, unit: number): WireEvent[] {
  const relevant = client.received.filter(({ type }) => /^response\.|unit\.done$/.test(type))
  const ends = relevant.flatMap((event, index) => (event.type === 'sglang.unit.done' ? [index] : []))
  return relevant.slice((ends[unit - 1] ?? -1) + 1, (ends[unit] ?? -1) + 1)
}
