/** One sender's share of a level: its sessions, its journal, its watch on itself. */
import type { Clock, InstantUs } from '../base/clock.js'
import { US_PER_MS, US_PER_S } from '../base/clock.js'
import { jsonRedactor, redactor, secretsOf } from '../base/redact.js'
import { JournalFile } from '../capture/journal/journal-file.io.js'
import { PACKET_MS, samplesPerUnit } from '../profile/profile.js'
import { driverOf, type ProtocolDriver } from '../protocol/registry.js'
import type { WirePackets } from '../protocol/script.js'
import { journalSink } from './journal-sink.io.js'
import type { LevelPlan, SenderShare } from './level-plan.js'
import { type CreateRunner, LevelRunner } from './level-runner.js'
import { createLevelTransport } from './level-transport.io.js'
import { SelfMonitor } from './self-monitor.io.js'
import type { FromSender, LevelProgress } from './sender-messages.js'
import type { SenderMonitoring } from './sender-monitoring.js'
import { SendObserver, senderSession } from './sender-session.js'
import type { LevelTransport } from './transport.js'
import { transportFor } from './transport-choice.js'
import { warmUp } from './warm-up.io.js'
import { wireInputs } from './wire-inputs.io.js'

export interface SenderOptions {
  readonly plan: LevelPlan
  readonly share: SenderShare
  readonly clock: Clock
  /** Path of the journal; made here. */
  readonly journal: string
  readonly tell: (message: FromSender) => void
  /** The common start of a wave, once all senders wait for it. */
  readonly startWave: (wave: number) => Promise<InstantUs>
  /** Fulfilled when a wave may begin. */
  readonly beginWave: (wave: number) => Promise<void>
  readonly env: Readonly<Record<string, string | undefined>>
}

export class Sender {
  readonly #options: SenderOptions
  readonly #driver: ProtocolDriver
  readonly #transport: LevelTransport
  readonly #packets: readonly (WirePackets | undefined)[]
  readonly #journal: JournalFile
  readonly #monitor: SelfMonitor
  readonly #runner: LevelRunner
  readonly #createRunner: CreateRunner
  #failed = 0
  #denied = 0
  #missedUnits = 0

  /** Everything that can be done before the level begins. */
  static async prepare(options: SenderOptions): Promise<Sender> {
    const { plan, share, clock, journal, env } = options
    const driver = driverOf(plan.profile)
    const { url, headers, deadlines } = plan
    const name = transportFor({ choice: plan.transport ?? 'auto', url, env })
    const transport = createLevelTransport(name, {
      url,
      headers,
      handshakeTimeoutMs: deadlines.admissionS * 1000,
    })
    const inputIndices = new Set(share.sessions.map((index) => plan.sessions[index]?.inputIndex ?? -1))
    const wire = await wireInputs(plan, driver, inputIndices)
    const packets = wire.map(
      (input) => input && { ...input, frames: input.frames.map((message) => transport.prepare(message)) },
    )
    let openSessions = () => 0
    const file = new JournalFile(journal)
    const monitor = await SelfMonitor.create(clock, {
      openSessions: () => openSessions(),
      pendingTraceBytes: () => file.pendingBytes,
    })
    await warmUp({ clock, transport: name, journal: `${journal}.warm-up`, sessions: share.slots, monitor })
    const sender = new Sender(options, { driver, transport, packets, journal: file, monitor })
    openSessions = () => sender.#runner.openSessions
    return sender
  }

  private constructor(
    options: SenderOptions,
    parts: {
      readonly driver: ProtocolDriver
      readonly transport: LevelTransport
      readonly packets: readonly (WirePackets | undefined)[]
      readonly journal: JournalFile
      readonly monitor: SelfMonitor
    },
  ) {
    const { plan, share, clock, tell, startWave, beginWave } = options
    this.#options = options
    this.#driver = parts.driver
    this.#transport = parts.transport
    this.#packets = parts.packets
    this.#journal = parts.journal
    this.#monitor = parts.monitor
    this.#createRunner = this.#runnerFactory()
    this.#runner = new LevelRunner({
      clock,
      policy: plan.policy,
      phases: plan.phases ?? (plan.policy === 'aligned' ? 'aligned' : 'spread'),
      concurrency: plan.concurrency,
      ...share,
      sessions: share.sessions.length,
      arrivalsUs: share.arrivalsUs ?? [],
      packetUs: PACKET_MS * US_PER_MS,
      leadUs: plan.leadMs * US_PER_MS,
      gate: {
        waiting: (wave, start) => {
          startWave(wave).then(start)
          // While nobody sends: what the handshakes left behind would be collected in the first second of packets.
          globalThis.gc?.()
          tell({ kind: 'wave_waiting', wave })
        },
        over: (wave, begin) => {
          beginWave(wave + 1).then(begin)
          tell({ kind: 'wave_over', wave })
        },
      },
      createRunner: (index, hooks) => this.#createRunner(index, hooks),
    })
  }

  /** @param epochUs start of the level */
  async run(epochUs: InstantUs): Promise<void> {
    this.#monitor.start()
    await this.#runner.run(epochUs)
  }

  leave(message: string): void {
    this.#runner.leave(message)
  }

  progress(): LevelProgress {
    return {
      open: this.#runner.openSessions,
      done: this.#runner.endedSessions,
      failed: this.#failed,
      denied: this.#denied,
      total: this.#options.share.sessions.length,
      sendLatenessUs: [this.#monitor.sendLateness.encode()],
      unitLagUs: [this.#monitor.unitLag.encode()],
      missedUnits: this.#missedUnits,
      loopDelayMaxMs: this.#monitor.loopDelayMaxMs,
    }
  }

  /**
   * Ends the watch and closes the journal.
   * @throws UserError when something could not be stored: what is missing cannot be judged
   */
  close(): SenderMonitoring {
    const monitoring = this.#monitor.stop()
    this.#journal.close()
    if (this.#journal.failure !== undefined) throw this.#journal.failure
    return monitoring
  }

  /** What all sessions have in common is made once. */
  #runnerFactory(): CreateRunner {
    const { plan, share, clock, tell } = this.#options
    const secrets = secretsOf({ url: plan.url, headers: plan.headers })
    const redact = redactor(secrets)
    const unitUs = (plan.profile.unit_ms ?? 0) * US_PER_MS
    const unitSamples = plan.profile.protocol === 'native' ? samplesPerUnit(plan.profile) : undefined
    const limits = {
      admissionRetries: plan.admission.retries,
      retryableStatuses: this.#driver.retryableStatuses,
      admissionBackoffUs: plan.admission.backoffMs * US_PER_MS,
      admissionTimeoutUs: plan.deadlines.admissionS * US_PER_S,
      sessionTimeoutUs: plan.deadlines.sessionS * US_PER_S,
      postCloseUs: plan.postCloseMs * US_PER_MS,
    }
    const redactEvent = secrets.length === 0 ? undefined : jsonRedactor(secrets)
    const observer = new SendObserver(
      (latenessUs) => this.#monitor.noteSend(latenessUs),
      (lagUs) => {
        this.#monitor.unitLag.record(lagUs)
        if (lagUs > unitUs) this.#missedUnits += 1
      },
    )
    return (index, hooks) => {
      const session = plan.sessions[share.sessions[index] ?? -1]
      const packets = session === undefined ? undefined : this.#packets[session.inputIndex]
      if (session === undefined || packets === undefined) throw new Error(`the share has no session ${index}`)
      return senderSession({
        clock,
        transport: this.#transport,
        script: this.#driver.createScript(plan.profile),
        packets,
        sampleRateHz: plan.profile.input.sample_rate_hz,
        packetUs: PACKET_MS * US_PER_MS,
        unitSamples,
        limits,
        sink: journalSink(this.#journal, index),
        observer,
        requestStart: hooks.requestStart,
        redact,
        redactEvent,
        onEnd: (result) => {
          const { outcome } = result
          if (outcome.kind !== 'completed') this.#failed += 1
          if (outcome.kind === 'denied') this.#denied += 1
          tell({ kind: 'session', session: { directory: session.directory, outcome } })
          // What cannot be stored cannot be judged: the level ends here.
          if (outcome.kind === 'not_recorded') this.#runner.leave('a session could not be stored')
          hooks.onEnd(result)
        },
      })
    }
  }
}
