/**
 * Received messages of many sessions stored as fast as they are taken: by the product's journal, which becomes traces when
 * nothing is sent any more, or by a stream for each session. Prints one JSON line.
 *
 *   node steps/write-traces.js ours|streams FOLDER SESSIONS LINES
 */
import { createWriteStream, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

const [kind, folder, sessions, lines] = [process.argv[2], process.argv[3], ...process.argv.slice(4).map(Number)]
const PACKET_S = 0.08
const paths = Array.from({ length: sessions }, (_, index) => join(folder, String(index), 'continuous.jsonl'))
const message = JSON.stringify({
  type: 'response.output_audio.delta',
  event_id: 'evt_1',
  delta: Buffer.alloc(3840, 1).toString('base64'),
})

const startMs = performance.now()
const write = { ours: withJournal, streams: withStreams }[kind]
const online = await write()
process.stdout.write(
  `${JSON.stringify({ mb: paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6, online, total: spent() })}\n`,
)

/** Since the process began to write. */
function spent() {
  const { user, system } = process.cpuUsage()
  return { wall_s: (performance.now() - startMs) / 1000, cpu_s: (user + system) / 1e6 }
}

/** @returns what was spent until everything was out of the sender's hands */
async function withJournal() {
  const { JournalFile } = await import('../../dist/capture/journal/journal-file.io.js')
  const { RECORD } = await import('../../dist/capture/journal/journal-format.js')
  const { storeSessions } = await import('../../dist/load/session-files.io.js')
  const { loadProfile } = await import('../../dist/profile/load-profile.io.js')
  const bytes = Buffer.from(message)
  const path = join(folder, 'journal')
  const journal = new JournalFile(path)
  for (let at = 0; at < lines; at += 1) {
    for (let session = 0; session < sessions; session += 1) {
      journal.append(RECORD.received, session, Math.round(1e6 * at * PACKET_S), bytes, 0, bytes.length)
    }
    await setImmediate()
  }
  journal.close()
  const online = spent()
  const input = join(folder, 'input.pcm')
  await writeFile(input, Buffer.alloc(2560))
  const plan = {
    runDirectory: folder,
    profile: await loadProfile('minicpmo-native'),
    inputs: [{ file: input, sha256: '', samples: 1280 }],
    sessions: paths.map((_, index) => ({ directory: String(index), inputIndex: 0 })),
  }
  await storeSessions({ plan, sessions: paths.map((_, index) => index), journal: path })
  return online
}

async function withStreams() {
  const streams = []
  for (const path of paths) {
    await mkdir(dirname(path))
    streams.push(createWriteStream(path))
  }
  for (let at = 0; at < lines; at += 1) {
    for (const stream of streams) {
      const line = `{"direction":"receive","time_s":${at * PACKET_S},"event":${message}}\n`
      if (!stream.write(line)) await new Promise((resolve) => stream.once('drain', resolve))
    }
    await setImmediate()
  }
  await Promise.all(streams.map((stream) => new Promise((resolve) => stream.end(resolve))))
  return spent()
}
