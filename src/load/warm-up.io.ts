/**
 * Runs the code of a sender hot before its level begins: in its first tenths of a second it is interpreted and compiled, and
 * with two thousand sessions packets go out 30 ms late meanwhile. Some sessions of the same kind are run against a null server
 * in the same process, packets following each other faster than they ever will again; nothing of it is recorded.
 */
import { rmSync } from 'node:fs'
import { type Clock, US_PER_MS, US_PER_S } from '../base/clock.js'
import { JournalFile } from '../capture/journal/journal-file.io.js'
import { startNullServer } from '../loopback/null-server.io.js'
import { loadProfile } from '../profile/load-profile.io.js'
import { samplesPerUnit } from '../profile/profile.js'
import { driverOf } from '../protocol/registry.js'
import { journalSink } from './journal-sink.io.js'
import { createLevelTransport } from './level-transport.io.js'
import type { SelfMonitor } from './self-monitor.io.js'
import { SendObserver, senderSession } from './sender-session.js'
import type { TransportName } from './transport-choice.js'

const PROFILE = 'minicpmo-native'
const SESSIONS = 48
const PACKETS = 200
/** A level that waits as long as this is one of thousands of sends a second. */
const PACKET_US = 5 * US_PER_MS
/** Fewer sessions than these are sent in time by cold code as well. */
const SESSIONS_WORTH_IT = 50

/**
 * About a second, and nothing for small levels.
 * @param options.journal path of a file that may be made and is removed again
 */
export async function warmUp(options: {
  readonly clock: Clock
  readonly transport: TransportName
  readonly journal: string
  /** Sessions that the sender will hold open. */
  readonly sessions: number
  readonly monitor: Pick<SelfMonitor, 'rehearse'>
}): Promise<void> {
  const { clock, sessions } = options
  if (sessions < SESSIONS_WORTH_IT) return
  const profile = await loadProfile(PROFILE)
  const driver = driverOf(profile)
  const server = await startNullServer({ profile, port: 0, replyShare: 0.4 })
  const journal = new JournalFile(options.journal)
  try {
    const transport = createLevelTransport(options.transport, {
      ...{ url: server.url, headers: {}, handshakeTimeoutMs: 5000 },
    })
    const pcm = new Int16Array((PACKETS * profile.input.sample_rate_hz * 80) / 1000).map((_, at) => at % 1000)
    const made = driver.packets(pcm, profile)
    const packets = { ...made, frames: made.frames.map((frame) => transport.prepare(frame)) }
    const observer = new SendObserver(
      (latenessUs) => options.monitor.rehearse(latenessUs),
      () => undefined,
    )
    const run = (index: number) =>
      new Promise<void>((resolve) => {
        senderSession({
          ...{ clock, transport, packets, packetUs: PACKET_US },
          script: driver.createScript(profile),
          // The end of the input comes with its last packet, on this faster clock.
          sampleRateHz: (profile.input.sample_rate_hz * 80 * US_PER_MS) / PACKET_US,
          unitSamples: samplesPerUnit(profile),
          limits: {
            admissionRetries: 0,
            admissionBackoffUs: 0,
            admissionTimeoutUs: 5 * US_PER_S,
            sessionTimeoutUs: 8 * US_PER_S,
            postCloseUs: 0,
          },
          sink: journalSink(journal, index),
          observer,
          requestStart: (start) => start(clock.nowUs() + Math.floor((index * PACKET_US) / SESSIONS)),
          redact: (text) => text,
          redactEvent: undefined,
          onEnd: () => resolve(),
        }).begin()
      })
    await Promise.all(Array.from({ length: SESSIONS }, (_, index) => run(index)))
  } finally {
    journal.close()
    rmSync(options.journal, { force: true })
    server.close()
  }
}
