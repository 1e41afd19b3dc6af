/** One session runner on the virtual clock against a far side that a test scripts, with all that it stores and says. */
import { expect } from 'vitest'
import { type DurationUs, type InstantUs, US_PER_S } from '../../src/base/clock.js'
import { jsonRedactor, redactor } from '../../src/base/redact.js'
import { parseTrace, type TraceLine, type TraceRecord } from '../../src/capture/trace-record.js'
import { type SessionResult, SessionRunner, type SessionRunnerOptions } from '../../src/load/session-runner.js'
import { type SessionFacts, sessionFacts } from '../../src/metrics/session-facts.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import type { Profile } from '../../src/profile/profile.js'
import { judgeSession } from '../../src/protocol/judge.js'
import { driverOf } from '../../src/protocol/registry.js'
import type { Verdict } from '../../src/protocol/verdict.js'
import { type FakeConnection, FakeNativeServer, FakeTransport } from '../helpers/fake-transport.js'
import { MemorySink } from '../helpers/memory-sink.js'
import { VirtualClock } from '../helpers/virtual-clock.js'
import { WatchedClock } from '../helpers/watched-clock.js'

export const RETRIES = 3
export const PACKET_US = 80_000
/** Two units, and a last packet of 20 ms. */
export const INPUT_MS = 1300
export const LEAD_US = 20_000

export interface SessionSetup {
  readonly answer?: (connection: FakeConnection, attempt: number, session: Session) => void
  readonly instead?: ConstructorParameters<typeof FakeNativeServer>[0]['instead']
  readonly limits?: Partial<SessionRunnerOptions['limits']>
  /** What must be stored nowhere. */
  readonly secrets?: readonly string[]
  /** Lines after which the sink takes no more. */
  readonly linesStored?: number
  /** Replaces the start a little after the admission. */
  readonly requestStart?: SessionRunnerOptions['requestStart']
  readonly inputMs?: number
  readonly profileName?: string
}

export class Session {
  readonly clock = new VirtualClock()
  readonly watched = new WatchedClock(this.clock)
  readonly transport: FakeTransport
  readonly runner: SessionRunner
  readonly profile: Profile
  readonly sink: MemorySink
  readonly results: SessionResult[] = []
  readonly inputPcm: Int16Array
  server: FakeNativeServer | undefined
  endedAtUs: InstantUs | undefined

  private constructor(profile: Profile, setup: SessionSetup) {
    this.profile = profile
    const { instead } = setup
    this.transport = new FakeTransport(this.clock, (connection, attempt) => {
      if (setup.answer === undefined) this.serve(connection, instead)
      else setup.answer(connection, attempt, this)
    })
    const driver = driverOf(profile)
    if (driver === undefined) throw new Error('the profile has no driver')
    const rate = profile.input.sample_rate_hz
    this.inputPcm = Int16Array.from({ length: ((setup.inputMs ?? INPUT_MS) * rate) / 1000 }, (_, at) => (at % 97) - 48)
    const packets = driver.packets(this.inputPcm, profile)
    this.sink = new MemorySink({ packets, linesStored: setup.linesStored })
    this.runner = new SessionRunner({
      clock: this.watched,
      transport: this.transport,
      script: driver.createScript(profile),
      packets,
      sampleRateHz: rate,
      packetUs: PACKET_US,
      unitSamples: undefined,
      limits: {
        admissionRetries: RETRIES,
        admissionBackoffUs: 250_000,
        admissionTimeoutUs: 10 * US_PER_S,
        sessionTimeoutUs: 30 * US_PER_S,
        postCloseUs: 50_000,
        ...setup.limits,
      },
      sink: this.sink,
      observer: {},
      requestStart: setup.requestStart ?? ((start) => start(this.clock.nowUs() + LEAD_US)),
      redact: redactor(setup.secrets ?? []),
      ...(setup.secrets === undefined ? {} : { redactEvent: jsonRedactor(setup.secrets) }),
      onEnd: (result) => {
        this.results.push(result)
        this.endedAtUs = this.clock.nowUs()
      },
    })
  }

  static async create(setup: SessionSetup = {}): Promise<Session> {
    return new Session(await loadProfile(setup.profileName ?? 'minicpmo-native'), setup)
  }

  /** Puts a native server at the far side of a connection. */
  serve(connection: FakeConnection, instead?: SessionSetup['instead']): FakeNativeServer {
    this.server = new FakeNativeServer({
      connection,
      clock: this.clock,
      profile: this.profile,
      ...(instead === undefined ? {} : { instead }),
    })
    return this.server
  }

  /** Runs to the end and some way beyond, and holds what must be true of every session. */
  async run(): Promise<this> {
    this.runner.begin()
    return this.finish()
  }

  async finish(): Promise<this> {
    await this.wait(60 * US_PER_S)
    expect(this.results, 'ends').toHaveLength(1)
    expect(this.sink.finishes, 'finishes of the sink').toBe(1)
    expect(this.watched.pending, 'wake-ups left over').toBe(0)
    for (const line of this.trace) expect(line).toMatchObject({ ok: true })
    return this
  }

  async wait(us: DurationUs): Promise<void> {
    await this.clock.runUntil(this.clock.nowUs() + us)
  }

  get result(): SessionResult {
    const [result] = this.results
    if (result === undefined) throw new Error('the session has not ended')
    return result
  }

  get lines(): readonly string[] {
    return this.sink.lines
  }

  get trace(): TraceLine[] {
    return parseTrace(this.lines.map((line) => `${line}\n`).join(''))
  }

  get records(): TraceRecord[] {
    return this.trace.filter((line) => line.ok)
  }

  of(direction: string): TraceRecord[] {
    return this.records.filter((record) => record.direction === direction)
  }

  get errorTexts(): unknown[] {
    return this.of('error').map(({ event }) => event.message)
  }

  get verdict(): Verdict {
    return judgeSession({ profile: this.profile, lines: this.trace, admissionRetryLimit: RETRIES })
  }

  /** Numbers of the broken checks, each once, in order. */
  get brokenChecks(): string[] {
    return [...new Set(this.verdict.violations.map(({ check }) => check))].sort()
  }

  get facts(): SessionFacts {
    return sessionFacts({
      profile: this.profile,
      admissionRetryLimit: RETRIES,
      reserveUs: PACKET_US,
      recording: {
        name: 'session',
        lines: this.trace,
        inputPcm: new Uint8Array(this.inputPcm.buffer),
        declaredInputSamples: undefined,
        fileProblems: [],
        receipts: this.sink.receipts,
      },
    })
  }

  /** Types of all that went over the wire, packets left out. */
  get commands(): string[] {
    return this.transport.connection.sentTypes().filter((type) => type !== 'input_audio_buffer.append')
  }

  get packetsOnWire(): number {
    return this.transport.connection.sentTypes().filter((type) => type === 'input_audio_buffer.append').length
  }
}
