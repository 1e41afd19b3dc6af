/**
 * A whole level on the virtual clock: the real session runners and level runner against the loopback server, joined in
 * memory. What they record goes through the same reading and the same metrics as files would.
 */
import type { Cancel, Clock, DurationUs, InstantUs } from '../../src/base/clock.js'
import { US_PER_MS, US_PER_S } from '../../src/base/clock.js'
import type { SessionRecording } from '../../src/capture/recording.js'
import { parseTrace } from '../../src/capture/trace-record.js'
import { LevelRunner, ownGate } from '../../src/load/level-runner.js'
import { type SessionResult, SessionRunner } from '../../src/load/session-runner.js'
import { poissonArrivalsUs } from '../../src/load/start-policy.js'
import type { Transport } from '../../src/load/transport.js'
import type { Reply } from '../../src/loopback/conversation.js'
import { LoopbackCore, type LoopbackStats } from '../../src/loopback/core.js'
import { energyListener } from '../../src/loopback/energy-listener.js'
import { connectInMemory } from '../../src/loopback/in-memory.js'
import { type LoopbackOptionsInput, loopbackOptionsSchema } from '../../src/loopback/options.js'
import { type LevelRow, levelRow } from '../../src/metrics/level-row.js'
import { type SessionFacts, sessionFacts } from '../../src/metrics/session-facts.js'
import { PACKET_MS, type Profile, samplesPerUnit } from '../../src/profile/profile.js'
import type { StartPolicy } from '../../src/profile/sweep-file.js'
import { driverOf } from '../../src/protocol/registry.js'
import { DEFAULT_ADMISSION_RETRIES } from '../../src/protocol/verdict.js'
import { seededRandom } from '../../src/stats/random.js'
import { MemorySink } from './memory-sink.js'
import { VirtualClock } from './virtual-clock.js'

/** One way, between client and server. */
export const LATENCY_US = 1_000

export interface VirtualLevelOptions {
  readonly profile: Profile
  readonly server?: LoopbackOptionsInput
  readonly concurrency: number
  /** Mono PCM16 at the profile's input rate, handed out in turn. */
  readonly inputs: readonly Int16Array[]
  readonly sessions: number
  readonly policy?: StartPolicy
  /** What the server says; two short ones of a constant level unless given. */
  readonly replies?: readonly Reply[]
  /** The client, and the client alone, does nothing for this long, from this time after the start of the level. */
  readonly clientStall?: { readonly afterUs: DurationUs; readonly durationUs: DurationUs }
}

export interface VirtualLevel {
  readonly row: LevelRow
  readonly sessions: readonly SessionFacts[]
  readonly results: readonly SessionResult[]
  readonly server: LoopbackStats
  /** In the order in which the sessions ended; their names number the inputs. */
  readonly recordings: readonly SessionRecording[]
}

/** Runs a level to its end and computes its row. */
export async function runVirtualLevel(options: VirtualLevelOptions): Promise<VirtualLevel> {
  const { profile, concurrency, inputs, clientStall } = options
  const clock = new VirtualClock()
  const core = new LoopbackCore({
    profile,
    clock,
    options: loopbackOptionsSchema.parse(options.server ?? {}),
    replies: options.replies ?? [reply('One two three four.', 1_500, profile), reply('Yes.', 700, profile)],
    listeners: energyListener,
  })
  const client = new StallingClock(clock, clientStall)
  const driver = driverOf(profile)
  if (driver === undefined) throw new Error(`no client for the protocol ${profile.protocol}`)
  const wire = inputs.map((pcm) => driver.packets(pcm, profile))
  const recordings: SessionRecording[] = []
  const results: SessionResult[] = []
  const meanSamples = inputs.reduce((sum, pcm) => sum + pcm.length, 0) / inputs.length

  const level = new LevelRunner({
    clock: client,
    policy: options.policy ?? 'pool',
    phases: options.policy === 'aligned' ? 'aligned' : 'spread',
    concurrency,
    ...{ sender: 0, senders: 1, slots: concurrency },
    sessions: options.sessions,
    packetUs: PACKET_MS * US_PER_MS,
    leadUs: 20 * US_PER_MS,
    arrivalsUs: poissonArrivalsUs({
      ...{ sessions: options.sessions, concurrency, seed: 'virtual' },
      meanSessionUs: (meanSamples / profile.input.sample_rate_hz) * US_PER_S,
    }),
    gate: ownGate(client, 20 * US_PER_MS),
    createRunner: (index, hooks) => {
      const pcm = inputs[index % inputs.length]
      const packets = wire[index % inputs.length]
      if (pcm === undefined || packets === undefined) throw new Error('a level needs inputs')
      const sink = new MemorySink({
        packets,
        onFinish: (result) => {
          results.push(result)
          recordings.push(recordingOf({ index, sink, pcm }))
        },
      })
      return new SessionRunner({
        clock: client,
        transport: inMemoryTransport(core, clock, client),
        script: driver.createScript(profile),
        packets,
        sampleRateHz: profile.input.sample_rate_hz,
        packetUs: PACKET_MS * US_PER_MS,
        unitSamples: samplesPerUnit(profile),
        limits: {
          admissionRetries: DEFAULT_ADMISSION_RETRIES,
          admissionBackoffUs: 250 * US_PER_MS,
          admissionTimeoutUs: 60 * US_PER_S,
          sessionTimeoutUs: 120 * US_PER_S,
          postCloseUs: 50 * US_PER_MS,
        },
        sink,
        observer: {},
        requestStart: hooks.requestStart,
        redact: (text) => text,
        onEnd: hooks.onEnd,
      })
    },
  })
  await clock.runUntilSettled(level.run(client.nowUs()))

  const reserveUs = 80 * US_PER_MS
  const sessions = recordings.map((recording) =>
    sessionFacts({ recording, profile, admissionRetryLimit: DEFAULT_ADMISSION_RETRIES, reserveUs }),
  )
  const row = levelRow({ profile, targets: profile.targets, concurrency, sessions, reserveUs, stalls: undefined })
  return { row, sessions, results, server: core.stats, recordings }
}

/** Bursts of noise with silence between them, as different for each seed as speech is from speech. Ends in silence. */
export function speechLikeInput(profile: Profile, ms: number, seed: string): Int16Array {
  const rate = profile.input.sample_rate_hz
  const random = seededRandom(`speech-like ${seed}`)
  const pcm = new Int16Array(Math.round((ms * rate) / 1000))
  let at = Math.round(0.15 * rate)
  const lastBurstEnd = pcm.length - Math.round(0.5 * rate)
  while (at < lastBurstEnd) {
    const end = Math.min(lastBurstEnd, at + Math.round((0.3 + 0.6 * random.next()) * rate))
    for (; at < end; at += 1) pcm[at] = random.integer(12_000) - 6_000
    at += Math.round((0.4 + 0.5 * random.next()) * rate)
  }
  return pcm
}

function reply(text: string, ms: number, profile: Profile): Reply {
  const pcm = new Int16Array((ms * profile.output.sample_rate_hz) / 1000).fill(1111)
  return { text, voice: 'test', pcm }
}

function recordingOf({ index, sink, pcm }: { index: number; sink: MemorySink; pcm: Int16Array }): SessionRecording {
  return {
    name: `session-${String(index).padStart(4, '0')}`,
    lines: parseTrace(sink.lines.map((line) => `${line}\n`).join('')),
    inputPcm: new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength),
    declaredInputSamples: undefined,
    fileProblems: [],
    receipts: sink.receipts,
  }
}

function inMemoryTransport(core: LoopbackCore, clock: VirtualClock, client: StallingClock): Transport {
  return {
    connect: (handlers) => {
      const connection = connectInMemory(core, clock, LATENCY_US)
      connection.onOpen = () => client.whenAwake(() => handlers.onOpen())
      connection.onMessage = (text) => {
        const bytes = Buffer.from(text)
        client.whenAwake(() => handlers.onText(bytes, 0, bytes.length))
      }
      connection.onClose = (code, reason) => client.whenAwake(() => handlers.onClosed(code, reason))
      connection.onRefused = (status) => client.whenAwake(() => handlers.onRefused({ status, body: '' }))
      return {
        send: (frame, onTaken) => {
          connection.send(String(frame))
          onTaken()
        },
        close: (code) => connection.close(code),
        terminate: () => connection.close(),
      }
    },
  }
}

/** The clock of a client whose event loop is blocked for a while: wake-ups and frames wait until that is over. */
class StallingClock implements Clock {
  readonly #inner: VirtualClock
  readonly #fromUs: InstantUs
  readonly #untilUs: InstantUs
  #waiting: (() => void)[] = []

  constructor(inner: VirtualClock, stall: VirtualLevelOptions['clientStall']) {
    this.#inner = inner
    this.#fromUs = stall === undefined ? Number.POSITIVE_INFINITY : inner.nowUs() + stall.afterUs
    this.#untilUs = this.#fromUs + (stall?.durationUs ?? 0)
    if (stall !== undefined) inner.at(this.#untilUs, () => this.#wakeUp())
  }

  nowUs(): InstantUs {
    return this.#inner.nowUs()
  }

  at(dueAtUs: InstantUs, wake: () => void): Cancel {
    return this.#inner.at(this.#isAsleep(dueAtUs) ? this.#untilUs : dueAtUs, wake)
  }

  /** Delivers what comes from outside, in order. */
  whenAwake(deliver: () => void): void {
    if (this.#waiting.length > 0 || this.#isAsleep(this.#inner.nowUs())) this.#waiting.push(deliver)
    else deliver()
  }

  #isAsleep(atUs: InstantUs): boolean {
    return atUs >= this.#fromUs && atUs < this.#untilUs
  }

  #wakeUp(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const deliver of waiting) deliver()
  }
}
