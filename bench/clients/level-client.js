/**
 * Ours, as the product runs it: one level through its load process, with traces and receipts, and the figures from the
 * receipts and the self-monitoring. Prints one JSON line.
 *
 *   node clients/level-client.js '{"url":…,"sessions":…,"seconds":…,"folder":…,"transport":"lean","phases":"spread"}'
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSelfMonitoring } from '../../dist/capture/self-monitoring.js'
import { loadProfile } from '../../dist/profile/load-profile.io.js'
import { runLevelProcess } from '../../dist/sweep/level-client.io.js'
import { LATE_MS, latenessOf } from '../measure/lateness.js'
import { median, sum } from '../measure/numbers.js'

const { url, sessions, seconds, folder, transport, phases = 'spread' } = JSON.parse(process.argv[2])
const RATE_HZ = 16_000
const INPUTS = 8
const WARM_UP_S = Math.min(2, seconds / 4)

const run = join(folder, 'run')
const samples = RATE_HZ * seconds
mkdirSync(run)
const inputs = Array.from({ length: INPUTS }, (_, input) => {
  const file = join(folder, `input-${input}.pcm`)
  const pcm = new Int16Array(samples).map((_, at) => Math.round(3000 * Math.sin(at / (9 + input))))
  const bytes = Buffer.from(pcm.buffer)
  writeFileSync(file, bytes)
  return { file, sha256: createHash('sha256').update(bytes).digest('hex'), samples }
})
let completed = 0
await runLevelProcess({
  plan: {
    runDirectory: run,
    transport,
    url,
    headers: {},
    profile: await loadProfile('minicpmo-native'),
    concurrency: sessions,
    policy: phases,
    phases,
    senders: 1,
    startSeed: 'bench',
    leadMs: 200,
    admission: { retries: 0, backoffMs: 0 },
    deadlines: { admissionS: 60, sessionS: seconds + 90 },
    postCloseMs: 200,
    inputs,
    sessions: Array.from({ length: sessions }, (_, index) => ({
      directory: `samples/bench/${index}/input`,
      inputIndex: index % INPUTS,
    })),
  },
  signal: new AbortController().signal,
  onProgress: () => undefined,
  onSession: ({ outcome }) => {
    if (outcome.kind === 'completed') completed += 1
  },
})

const latenessMs = []
const lateAtS = []
let startS = Number.POSITIVE_INFINITY
for (const session of readdirSync(join(run, 'samples', 'bench'))) {
  const { appends } = readJson('samples', 'bench', session, 'input', 'input-send-receipts.json')
  for (const { scheduled_s, start_s } of appends) {
    const ms = (start_s - scheduled_s) * 1000
    latenessMs.push(ms)
    startS = Math.min(startS, scheduled_s)
    if (ms > LATE_MS) lateAtS.push(scheduled_s)
  }
}
const monitor = parseSelfMonitoring(readJson('self-monitoring.json'))
const steady = steadySeconds(monitor.senders[0].series)
const lastedS = sum(steady.map(({ lasted_s }) => lasted_s))
process.stdout.write(
  `${JSON.stringify({
    sessions,
    ...latenessOf(latenessMs),
    late_in_warm_up: lateAtS.filter((atS) => atS < startS + WARM_UP_S).length,
    completed,
    cpu_ms_per_session_s:
      (1000 * sum(steady.map((second) => second.cpu_share * second.lasted_s))) / (lastedS * sessions),
    rss_mb: median(steady.map(({ rss_mb }) => rss_mb)) ?? monitor.rss_max_mb,
    // The probe also sees the opening of all connections at once, which is no part of the steady state.
    receive_delay_p99_ms: median(steady.map(({ receive_delay_p99_ms }) => receive_delay_p99_ms)),
    receive_delay_ms: monitor.receive_delay_ms ?? undefined,
    event_loop_delay_ms: monitor.event_loop_delay_ms ?? undefined,
    gc: monitor.gc,
    steady_s: [startS + WARM_UP_S, startS + seconds],
  })}\n`,
)

/** The full seconds between the end of the warm-up and the end of the input. */
function steadySeconds(series) {
  return series
    .slice(0, -1)
    .map((second, index) => ({ ...second, lasted_s: series[index + 1].at_s - second.at_s }))
    .filter(({ at_s, lasted_s }) => at_s >= startS + WARM_UP_S && at_s + lasted_s <= startS + seconds)
}

function readJson(...path) {
  return JSON.parse(readFileSync(join(run, ...path), 'utf8'))
}
