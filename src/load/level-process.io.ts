/**
 * The load process: one level of one repeat, in a process of its own, so that nothing but packets and frames happens
 * where time matters. It takes its plan from the parent, runs the sessions, stores traces and receipts, and ends. All
 * judgement is left to whoever reads the files.
 */
import { copyFile, link, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, outputError, writeFileWhole } from '../base/atomic-file.io.js'
import { type Clock, formatSecondsOfUs, US_PER_MS, US_PER_S } from '../base/clock.js'
import { messageOf, UserError } from '../base/errors.js'
import { jsonText } from '../base/json.js'
import { jsonRedactor, type Redact, redactor, secretsOf } from '../base/redact.js'
import { SystemClock } from '../base/system-clock.io.js'
import { INPUT_FILE, MONITOR_FILE, RECEIPTS_FILE, TRACE_FILE } from '../capture/run-manifest.js'
import { TraceStore } from '../capture/trace-store.io.js'
import { PACKET_MS, samplesPerUnit } from '../profile/profile.js'
import { driverOf, type ProtocolDriver } from '../protocol/registry.js'
import type { WirePackets } from '../protocol/script.js'
import { type FromLevelProcess, type LevelPlan, levelPlanSchema, type ToLevelProcess } from './level-plan.js'
import { LevelRunner } from './level-runner.js'
import { createLevelTransport } from './level-transport.io.js'
import { SelfMonitor } from './self-monitor.io.js'
import { type SessionResult, SessionRunner } from './session-runner.js'
import type { LevelTransport } from './transport.js'
import { transportFor } from './transport-choice.js'

const PROGRESS_INTERVAL_MS = 500

interface PreparedInput {
  readonly packets: WirePackets
  readonly file: string
}

async function main(): Promise<void> {
  // An interrupt reaches the whole process group; the parent decides what it means and sends `leave`.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const plan = await receivePlan()
  let level: LevelProcess | undefined
  let leaveMessage: string | undefined
  const leave = (message: string) => {
    leaveMessage = message
    level?.leave(message)
  }
  process.on('message', (message: ToLevelProcess) => {
    if (message.kind === 'leave') leave(message.message)
  })
  // The parent is gone: nobody will read this level.
  process.on('disconnect', () => leave('the controlling process ended'))
  level = await LevelProcess.prepare(plan)
  if (leaveMessage !== undefined) level.leave(leaveMessage)
  await level.run()
}

class LevelProcess {
  readonly #plan: LevelPlan
  readonly #driver: ProtocolDriver
  readonly #transport: LevelTransport
  readonly #inputs: readonly PreparedInput[]
  readonly #clock: Clock
  readonly #redact: Redact
  readonly #redactEvent: Redact
  readonly #store = new TraceStore()
  readonly #monitor: SelfMonitor
  readonly #runner: LevelRunner
  readonly #closings: Promise<void>[] = []
  #failed = 0
  #denied = 0
  #missedUnits = 0
  #wasInterrupted = false
  #failure: UserError | undefined

  static async prepare(plan: LevelPlan): Promise<LevelProcess> {
    const driver = driverOf(plan.profile)
    const { url, headers, deadlines } = plan
    const transport = createLevelTransport(transportFor({ choice: plan.transport ?? 'auto', url, env: process.env }), {
      url,
      headers,
      handshakeTimeoutMs: deadlines.admissionS * 1000,
    })
    const inputs = await Promise.all(plan.inputs.map(({ file }) => prepareInput(file, { driver, plan, transport })))
    const clock = new SystemClock()
    let openSessions = () => 0
    const monitor = await SelfMonitor.create(clock, () => openSessions())
    const level = new LevelProcess({ plan, driver, transport, inputs, clock, monitor })
    openSessions = () => level.#runner.openSessions
    return level
  }

  private constructor(parts: {
    plan: LevelPlan
    driver: ProtocolDriver
    transport: LevelTransport
    inputs: readonly PreparedInput[]
    clock: Clock
    monitor: SelfMonitor
  }) {
    const { plan, clock } = parts
    this.#plan = plan
    this.#driver = parts.driver
    this.#transport = parts.transport
    this.#inputs = parts.inputs
    this.#clock = clock
    this.#monitor = parts.monitor
    const secrets = secretsOf({ url: plan.url, headers: plan.headers })
    this.#redact = redactor(secrets)
    this.#redactEvent = jsonRedactor(secrets)
    this.#runner = new LevelRunner({
      clock,
      policy: plan.policy,
      concurrency: plan.concurrency,
      sessions: plan.sessions.length,
      packetUs: PACKET_MS * US_PER_MS,
      leadUs: plan.leadMs * US_PER_MS,
      seed: plan.startSeed,
      meanSessionUs: this.#meanSessionUs(),
      createRunner: (index, hooks) => this.#createRunner(index, hooks),
    })
  }

  leave(message: string): void {
    this.#wasInterrupted = true
    this.#runner.leave(message)
  }

  async run(): Promise<void> {
    tell({ kind: 'ready' })
    this.#monitor.start()
    const progress = setInterval(() => this.#tellProgress(), PROGRESS_INTERVAL_MS)
    try {
      await this.#runner.run()
    } finally {
      clearInterval(progress)
    }
    this.#tellProgress()
    const monitoring = this.#monitor.stop(this.#store.bytesWritten)
    await this.#store.drain()
    await Promise.all(this.#closings)
    const failure = this.#failure ?? this.#store.failure
    if (failure !== undefined) throw failure
    await writeFileWhole(
      join(this.#plan.runDirectory, MONITOR_FILE),
      jsonText({ ...monitoring, trace_bytes: this.#store.bytesWritten }),
    )
    tell({ kind: 'done', wasInterrupted: this.#wasInterrupted })
  }

  #createRunner(index: number, hooks: Parameters<ConstructorParameters<typeof LevelRunner>[0]['createRunner']>[1]) {
    const { plan, session, input, directory } = this.#sessionAt(index)
    const trace = this.#store.create(join(directory, TRACE_FILE))
    const unitUs = (plan.profile.unit_ms ?? 0) * US_PER_MS
    return new SessionRunner({
      clock: this.#clock,
      transport: this.#transport,
      script: this.#driver.createScript(plan.profile),
      packets: input.packets,
      sampleRateHz: plan.profile.input.sample_rate_hz,
      packetUs: PACKET_MS * US_PER_MS,
      unitSamples: plan.profile.protocol === 'native' ? samplesPerUnit(plan.profile) : undefined,
      limits: {
        admissionRetries: plan.admission.retries,
        retryableStatuses: this.#driver.retryableStatuses,
        admissionBackoffUs: plan.admission.backoffMs * US_PER_MS,
        admissionTimeoutUs: plan.deadlines.admissionS * US_PER_S,
        sessionTimeoutUs: plan.deadlines.sessionS * US_PER_S,
        postCloseUs: plan.postCloseMs * US_PER_MS,
      },
      sink: {
        append: (line) => trace.append(line),
        finish: (result) => {
          trace.finish()
          this.#closings.push(
            this.#storeSession(directory, input, result).catch((thrown: unknown) => {
              this.#failure ??= thrown instanceof UserError ? thrown : outputError(directory, thrown)
              // What cannot be stored cannot be judged: the level ends here.
              this.#runner.leave('a session could not be stored')
            }),
          )
        },
      },
      observer: {
        packetSent: (latenessUs) => this.#monitor.noteSend(latenessUs),
        unitDone: (lagUs) => {
          this.#monitor.unitLag.record(lagUs)
          if (lagUs > unitUs) this.#missedUnits += 1
        },
      },
      requestStart: hooks.requestStart,
      redact: this.#redact,
      redactEvent: this.#redactEvent,
      onEnd: (result) => {
        if (result.outcome.kind !== 'completed') this.#failed += 1
        if (result.outcome.kind === 'denied') this.#denied += 1
        tell({ kind: 'session', session: { directory: session.directory, outcome: result.outcome } })
        hooks.onEnd(result)
      },
    })
  }

  #sessionAt(index: number) {
    const session = this.#plan.sessions[index]
    const input = session === undefined ? undefined : this.#inputs[session.inputIndex]
    if (session === undefined || input === undefined) throw new Error(`the plan has no session ${index}`)
    return { plan: this.#plan, session, input, directory: join(this.#plan.runDirectory, session.directory) }
  }

  async #storeSession(directory: string, input: PreparedInput, result: SessionResult): Promise<void> {
    await makeFolder(directory)
    await placeInput(input.file, join(directory, INPUT_FILE))
    await writeFileWhole(join(directory, RECEIPTS_FILE), receiptsText(result))
  }

  #meanSessionUs(): number {
    const { sessions, inputs, profile } = this.#plan
    const samples = sessions.reduce((sum, { inputIndex }) => sum + (inputs[inputIndex]?.samples ?? 0), 0)
    const inputUs = (samples / sessions.length) * (US_PER_S / profile.input.sample_rate_hz)
    // Beyond its input a session is open for its handshake and for the drain of its last unit.
    return inputUs + (profile.unit_ms ?? 0) * US_PER_MS * 0.5
  }

  #tellProgress(): void {
    tell({
      kind: 'progress',
      progress: {
        open: this.#runner.openSessions,
        done: this.#runner.endedSessions,
        failed: this.#failed,
        denied: this.#denied,
        total: this.#plan.sessions.length,
        sendLatenessUs: this.#monitor.sendLateness.encode(),
        unitLagUs: this.#monitor.unitLag.encode(),
        missedUnits: this.#missedUnits,
        loopDelayMaxMs: this.#monitor.loopDelayMaxMs,
      },
    })
  }
}

/** Packets of one input, ready for the wire: everything that can be done before the level begins is done here. */
async function prepareInput(
  file: string,
  level: { readonly driver: ProtocolDriver; readonly plan: LevelPlan; readonly transport: LevelTransport },
): Promise<PreparedInput> {
  const { driver, plan, transport } = level
  const pcm = await readFile(file)
  const samples = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength))
  const packets = driver.packets(samples, plan.profile)
  return { file, packets: { ...packets, frames: packets.frames.map((message) => transport.prepare(message)) } }
}

/** The same bytes under a second name where the file system can do that, a copy elsewhere. */
async function placeInput(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to))
}

function receiptsText(result: SessionResult): string {
  const appends = result.packets.map(({ eventId, dueAtUs, startAtUs, doneAtUs }, seq) => {
    const completed = doneAtUs === undefined ? '' : `,"completed_s":${formatSecondsOfUs(doneAtUs)}`
    return `{"event_id":${JSON.stringify(eventId)},"seq":${seq},"scheduled_s":${formatSecondsOfUs(dueAtUs)},"start_s":${formatSecondsOfUs(startAtUs)}${completed}}`
  })
  const start = result.startAtUs === undefined ? '' : `"session_start_s":${formatSecondsOfUs(result.startAtUs)},`
  return `{${start}"appends":[${appends.length === 0 ? '' : `\n${appends.join(',\n')}\n`}]}\n`
}

function receivePlan(): Promise<LevelPlan> {
  return new Promise((resolve, reject) => {
    process.once('message', (message: ToLevelProcess) => {
      const parsed = message.kind === 'run' ? levelPlanSchema.safeParse(message.plan) : undefined
      if (parsed?.success) resolve(parsed.data)
      else reject(new Error(`not a level plan: ${parsed?.error.message ?? 'no plan'}`))
    })
  })
}

function tell(message: FromLevelProcess): void {
  if (process.connected) process.send?.(message)
}

main().then(
  () => process.disconnect?.(),
  (thrown: unknown) => {
    if (thrown instanceof UserError) {
      tell({ kind: 'error', code: thrown.code, message: thrown.message, fix: thrown.fix })
    } else {
      tell({ kind: 'crash', message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown) })
    }
    process.exitCode = 1
    process.disconnect?.()
  },
)
