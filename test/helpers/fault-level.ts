/**
 * A level on the virtual clock in which every second session has a fault: the real client against the loopback server, two
 * sessions at a time. Session k, from 0, is the server's session k + 1.
 */
import { US_PER_MS, US_PER_S } from '../../src/base/clock.js'
import { parseTrace } from '../../src/capture/trace-record.js'
import { LevelRunner, ownGate } from '../../src/load/level-runner.js'
import { type SessionResult, SessionRunner } from '../../src/load/session-runner.js'
import type { Transport } from '../../src/load/transport.js'
import { LoopbackCore } from '../../src/loopback/core.js'
import { energyListener } from '../../src/loopback/energy-listener.js'
import { FaultInjector } from '../../src/loopback/fault-injector.js'
import type { FaultName } from '../../src/loopback/faults.js'
import { connectInMemory } from '../../src/loopback/in-memory.js'
import { loopbackOptionsSchema } from '../../src/loopback/options.js'
import { levelRow } from '../../src/metrics/level-row.js'
import { type SessionFacts, sessionFacts } from '../../src/metrics/session-facts.js'
import { PACKET_MS, type Profile, samplesPerUnit } from '../../src/profile/profile.js'
import { driverOf } from '../../src/protocol/registry.js'
import { DEFAULT_ADMISSION_RETRIES } from '../../src/protocol/verdict.js'
import { makeInput, makeReply } from '../loopback/native-client.js'
import { MemorySink } from './memory-sink.js'
import { VirtualClock } from './virtual-clock.js'
import { LATENCY_US } from './virtual-level.js'

export const FAULT_SESSIONS = 6
const CONCURRENCY = 2
const RESERVE_US = 80 * US_PER_MS
/** What a connection reports that ended without a closing handshake. */
const ABNORMAL_CLOSE = 1006

export async function runFaultLevel(profile: Profile, fault: FaultName | null) {
  const clock = new VirtualClock()
  const options = loopbackOptionsSchema.parse({ fault, faultEvery: 2 })
  const core = new LoopbackCore({
    profile,
    clock,
    options,
    replies: [makeReply('One two three four.', 1500, profile)],
    listeners: energyListener,
  })
  const faults = new FaultInjector(clock, profile.protocol, options)
  const driver = driverOf(profile)
  // Four units each. Of different lengths, so that no session begins at the instant at which a refused one comes again.
  const inputs = [2800, 2550, 2300].map((silenceMs) => makeInput(profile, 300, 900, silenceMs))
  const results: SessionResult[] = []
  const sessions: SessionFacts[] = []
  const runner = new LevelRunner({
    clock,
    policy: 'pool',
    phases: 'spread',
    concurrency: CONCURRENCY,
    ...{ sender: 0, senders: 1, slots: CONCURRENCY },
    sessions: FAULT_SESSIONS,
    packetUs: PACKET_MS * US_PER_MS,
    leadUs: 20 * US_PER_MS,
    arrivalsUs: [],
    gate: ownGate(clock, 20 * US_PER_MS),
    createRunner: (index, hooks) => {
      const pcm = inputs[index % inputs.length] ?? new Int16Array(0)
      const packets = driver.packets(pcm, profile)
      const sink = new MemorySink({
        packets,
        onFinish: (result) => {
          results[index] = result
          sessions[index] = factsOf({ profile, index, sink, pcm })
        },
      })
      return new SessionRunner({
        ...hooks,
        clock,
        transport: transportTo(core, clock, faults),
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
        redact: (text) => text,
      })
    },
  })
  await clock.runUntilSettled(runner.run(clock.nowUs()))
  const { targets } = profile
  const row = levelRow({
    ...{ profile, targets, concurrency: CONCURRENCY, sessions, reserveUs: RESERVE_US },
    stalls: undefined,
  })
  return { row, sessions, results, server: core.stats }
}

function transportTo(core: LoopbackCore, clock: VirtualClock, faults: FaultInjector): Transport {
  return {
    connect: (handlers) => {
      const connection = connectInMemory(core, clock, LATENCY_US, '', faults)
      let isTerminated = false
      connection.onOpen = () => handlers.onOpen()
      connection.onMessage = (text) => {
        const bytes = Buffer.from(text)
        handlers.onText(bytes, 0, bytes.length)
      }
      connection.onBinary = (bytes) => handlers.onBinary(bytes.length)
      connection.onClose = (code, reason) => handlers.onClosed(isTerminated ? ABNORMAL_CLOSE : code, reason)
      connection.onRefused = (status) => handlers.onRefused({ status, body: '' })
      return {
        send: (frame, onTaken) => {
          connection.send(String(frame))
          onTaken()
        },
        close: (code) => connection.close(code),
        terminate: () => {
          isTerminated = true
          connection.close()
        },
      }
    },
  }
}

function factsOf(session: { profile: Profile; index: number; sink: MemorySink; pcm: Int16Array }) {
  const { profile, index, sink, pcm } = session
  const recording = {
    name: `session-${index}`,
    lines: parseTrace(sink.lines.map((line) => `${line}\n`).join('')),
    inputPcm: new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength),
    declaredInputSamples: undefined,
    fileProblems: [],
    receipts: sink.receipts,
  }
  return sessionFacts({ recording, profile, admissionRetryLimit: DEFAULT_ADMISSION_RETRIES, reserveUs: RESERVE_US })
}

/** The checks that a session's verdict names, each once. */
export const checksOf = ({ violations }: SessionFacts): string[] =>
  [...new Set(violations.map(({ check }) => check))].sort()
