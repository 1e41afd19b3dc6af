/**
 * From trace to facts: traces as a sweep records them, with reply audio and without, read line by line with the parser
 * alone, and by everything that `analyseRun` does for a session; then a whole level on all cores. Prints JSON. Needs
 * `npm run build`.
 *
 *   node bench/analysis.js [--rounds 5] [--sessions 40] [--json FILE]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readSession } from '../dist/capture/run-reader.io.js'
import { traceLine } from '../dist/capture/trace-line.js'
import { FrameReader } from '../dist/load/lean/frame-reader.js'
import { deploymentOf } from '../dist/loopback/deployment.js'
import { NullFrames } from '../dist/loopback/null-server/null-frames.js'
import { loopbackOptionsSchema } from '../dist/loopback/options.js'
import { sessionFacts } from '../dist/metrics/session-facts.js'
import { loadProfile } from '../dist/profile/load-profile.io.js'
import { driverOf } from '../dist/protocol/registry.js'
import { analyseRun } from '../dist/sweep/analyse-run.io.js'
import { median } from './measure/numbers.js'

const SESSION_S = 60
const PACKET_US = 80_000

/** @returns medians in MB/s of trace and receipts, and ratios */
export async function measureAnalysis({ rounds, sessions = 40 }) {
  const profile = await loadProfile('minicpmo-native')
  const folder = mkdtempSync(join(tmpdir(), 'floorload-analysis-'))
  try {
    const kinds = { 'reply audio': 0.4, receipts: 0 }
    const runs = Object.fromEntries(
      Object.entries(kinds).map(([kind, share]) => [kind, writeRun({ folder, kind, share, profile, sessions })]),
    )
    const figures = {}
    for (const [kind, run] of Object.entries(runs)) {
      const entries = run.entries.slice(0, 10)
      const megabytes = run.bytes / 1e6 / sessions
      const seconds = { parser: [], facts: [], level: [] }
      for (let round = 0; round <= rounds; round += 1) {
        // The first round warms up.
        const note = (name, s) => round > 0 && seconds[name].push(s)
        note('parser', await timed(() => entries.forEach(parseLines)))
        note('facts', await timed(() => factsOf(entries, profile)))
        note('level', await timed(() => analyseRun(run.directory)))
      }
      const perS = (name, count) => (megabytes * count) / median(seconds[name])
      const level = median(seconds.level)
      figures[kind] = {
        megabytes_per_session: megabytes,
        line_wise_parse_mb_s: perS('parser', entries.length),
        facts_mb_s: perS('facts', entries.length),
        ratio: median(seconds.parser) / median(seconds.facts),
        level_mb_s: perS('level', sessions),
        level_s_of_1000_sessions: (level * 1000) / sessions,
      }
    }
    return figures
  } finally {
    if (!process.env.KEEP) rmSync(folder, { recursive: true, force: true })
    else console.error(folder)
  }
}

function parseLines({ directory }) {
  for (const file of ['continuous.jsonl', 'input-send-receipts.json']) {
    const text = readFileSync(join(directory, file), 'utf8')
    if (file.endsWith('.json')) JSON.parse(text)
    else for (const line of text.split('\n')) if (line !== '') JSON.parse(line)
  }
}

async function factsOf(entries, profile) {
  for (const entry of entries) {
    const recording = await readSession(entry, { inputRateHz: profile.input.sample_rate_hz, areReceiptsRequired: true })
    const facts = sessionFacts({ recording, profile, admissionRetryLimit: 3, reserveUs: PACKET_US })
    if (!facts.hasSucceeded) throw new Error(`a session of the bench failed: ${facts.reasons[0]}`)
  }
}

async function timed(work) {
  const startMs = performance.now()
  await work()
  return (performance.now() - startMs) / 1000
}

function writeRun({ folder, kind, share, profile, sessions }) {
  const directory = join(folder, kind.replace(' ', '-'))
  const session = oneSession(profile, share)
  const names = Array.from({ length: sessions }, (_, index) => `s${index}`)
  for (const name of names) {
    const path = join(directory, 'samples', 'bench', name, 'input')
    mkdirSync(path, { recursive: true })
    for (const [file, bytes] of Object.entries(session)) writeFileSync(join(path, file), bytes)
  }
  writeFileSync(
    join(directory, 'manifest.json'),
    JSON.stringify({ profile: profile.name, config: { load: { concurrency: sessions } } }),
  )
  const samples = names.map((name) => ({
    id: name,
    directory: `samples/bench/${name}`,
    variants: { input: { directory: `samples/bench/${name}/input`, status: 'pass' } },
  }))
  writeFileSync(join(directory, 'run.json'), JSON.stringify({ status: 'complete', samples }))
  const entries = names.map((name) => ({ name, directory: join(directory, 'samples', 'bench', name, 'input') }))
  const bytes = ['continuous.jsonl', 'input-send-receipts.json'].reduce(
    (sum, file) => sum + statSync(join(entries[0].directory, file)).size,
    0,
  )
  return { directory, entries, bytes: bytes * sessions }
}

/** A session against the null server, written as it would have been recorded. */
function oneSession(profile, share) {
  const rate = profile.input.sample_rate_hz
  const pcm = new Int16Array(SESSION_S * rate).map((_, at) => Math.round(3000 * Math.sin(at / 11) + (at % 97)))
  const packets = driverOf(profile).packets(pcm, profile)
  const frames = new NullFrames(deploymentOf(profile, loopbackOptionsSchema.parse({})), share)
  const lines = []
  const startUs = 1_000_000
  const send = (atUs, text) => lines.push(traceLine('send', atUs, text))
  const receive = (atUs, bytes) => {
    for (const text of textsIn(bytes)) lines.push(traceLine('receive', atUs, text))
  }
  receive(900_000, frames.created())
  send(901_000, '{"type":"session.update","event_id":"c_update","session":{"output_modalities":["audio"]}}')
  receive(902_000, frames.updated('c_update'))
  packets.frames.forEach((frame, k) => {
    const atUs = startUs + k * PACKET_US + 137
    send(atUs, String(frame))
    receive(atUs + 3000, frames.afterPacket(0, k))
  })
  const endUs = startUs + packets.frames.length * PACKET_US
  send(endUs, '{"type":"sglang.input_audio.end","event_id":"c_end"}')
  receive(endUs + 1000, frames.drained(0, pcm.length, 'c_end'))
  send(endUs + 2000, '{"type":"session.close","event_id":"c_close"}')
  receive(endUs + 3000, frames.closed('c_close'))
  const appends = packets.eventIds.map((event_id, seq) => {
    const [due, start] = [startUs + seq * PACKET_US, startUs + seq * PACKET_US + 137]
    return JSON.stringify({
      event_id,
      seq,
      scheduled_s: due / 1e6,
      start_s: start / 1e6,
      completed_s: (start + 61) / 1e6,
    })
  })
  return {
    'continuous.jsonl': `${lines.join('\n')}\n`,
    'input-send-receipts.json': `{"session_start_s":1,"appends":[\n${appends.join(',\n')}\n]}\n`,
    'input.pcm': new Uint8Array(pcm.buffer),
  }
}

function textsIn(bytes) {
  const texts = []
  const sink = { onText: (all, from, to) => texts.push(all.toString('utf8', from, to)) }
  new FrameReader(sink, 1e8).read(bytes, 0, bytes.length)
  return texts
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      sessions: { type: 'string', default: '40' },
      json: { type: 'string' },
    },
  })
  const figures = await measureAnalysis({ rounds: Number(values.rounds), sessions: Number(values.sessions) })
  const text = `${JSON.stringify(figures, null, 2)}\n`
  process.stdout.write(text)
  if (values.json !== undefined) writeFileSync(values.json, text)
}
