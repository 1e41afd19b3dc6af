/**
 * `npm run bench`: what the load generator itself can do on this machine, side by side with a naive client in the same
 * run. Prints a table and writes bench/results.json. Absolute times are the machine's; the ratios are what to quote.
 *
 *   node bench/run.js [--sessions 64] [--rounds 3]
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const cli = join(here, '..', 'bin', 'floorload.js')
const option = (name, fallback) => {
  const index = process.argv.indexOf(`--${name}`)
  return index < 0 ? fallback : Number(process.argv[index + 1])
}
const sessions = option('sessions', 64)
const rounds = option('rounds', 3)
const SECONDS = 6

/** Pins a command to one processor where the system can do that, so that client and server do not share a core. */
function pinned(core, command) {
  if (process.platform !== 'linux' || cpus().length < 2) return command
  try {
    execFileSync('taskset', ['-c', String(core), 'true'], { stdio: 'ignore' })
    return ['taskset', '-c', String(core), ...command]
  } catch {
    return command
  }
}

function startServer() {
  const [program, ...args] = pinned(1, [
    process.execPath,
    cli,
    'serve',
    '--port',
    '0',
    '--listen',
    'energy',
    '--base-ms',
    '20',
    '--per-unit-ms',
    '1',
  ])
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const url = /ws:\/\/\S+(?=,)/.exec(text)?.[0]
      if (url !== undefined) resolve({ url, stop: () => child.kill('SIGKILL') })
    })
    child.once('exit', (code) => reject(new Error(`the server ended with code ${code}`)))
  })
}

function run(command) {
  const [program, ...args] = command
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
    })
    child.once('close', (code) =>
      code === 0 ? resolve(out) : reject(new Error(`${args.join(' ')} ended with ${code}`)),
    )
  })
}

async function ours(url) {
  const folder = mkdtempSync(join(tmpdir(), 'floorload-bench-'))
  try {
    const out = await run(
      pinned(0, [
        process.execPath,
        cli,
        'sweep',
        '--url',
        url,
        '--profile',
        'minicpmo-native',
        '--concurrency',
        String(sessions),
        '--sessions',
        '1x',
        '--warm-up',
        '0',
        '--quiet',
        '--json',
        '--output',
        join(folder, 'out'),
      ]),
    )
    const level = JSON.parse(out).levels[0]
    const monitor = JSON.parse(
      readFileSync(join(folder, 'out', `concurrency-${sessions}`, 'self-monitoring.json'), 'utf8'),
    )
    const cpuS = monitor.series.reduce((sum, second) => sum + second.cpu_share, 0)
    return {
      sends: level.send_lateness_s.n,
      p50: level.send_lateness_s.p50 * 1000,
      p99: level.send_lateness_s.p99 * 1000,
      max: level.send_lateness_s.max * 1000,
      cpuS,
      pacingViolations: level.pacing_violations,
      sessionsOk: `${level.sessions_succeeded}/${level.sessions_attempted}`,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const naive = async (url) =>
  JSON.parse(
    await run(pinned(0, [process.execPath, join(here, 'naive-client.js'), url, String(sessions), String(SECONDS)])),
  )

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)]
const server = await startServer()
const results = { ours: [], naive: [] }
try {
  for (let round = 0; round < rounds; round += 1) {
    results.ours.push(await ours(server.url))
    results.naive.push(await naive(server.url))
  }
} finally {
  server.stop()
}

const summary = Object.fromEntries(
  Object.entries(results).map(([name, list]) => [
    name,
    {
      lateness_p50_ms: median(list.map(({ p50 }) => p50)),
      lateness_p99_ms: median(list.map(({ p99 }) => p99)),
      lateness_max_ms: median(list.map(({ max }) => max)),
      cpu_us_per_packet: median(list.map(({ cpuS, sends }) => (1e6 * cpuS) / sends)),
    },
  ]),
)
const violations = results.ours.reduce((sum, { pacingViolations }) => sum + pacingViolations, 0)
const ratio = (key) => (summary.naive[key] / summary.ours[key]).toFixed(1)
const row = (label, key, digits) =>
  `${label.padEnd(34)} ${summary.ours[key].toFixed(digits).padStart(10)} ${summary.naive[key].toFixed(digits).padStart(10)} ${ratio(key).padStart(8)}`
process.stdout.write(
  `${[
    `${sessions} paced sessions, client on one core, server on another, median of ${rounds} interleaved rounds`,
    `${''.padEnd(34)} ${'floorload'.padStart(10)} ${'naive'.padStart(10)} ${'ratio'.padStart(8)}`,
    row('send lateness p50, ms', 'lateness_p50_ms', 2),
    row('send lateness p99, ms', 'lateness_p99_ms', 2),
    row('send lateness max, ms', 'lateness_max_ms', 2),
    row('CPU per packet (both ways), us', 'cpu_us_per_packet', 0),
    `floorload stores raw traces and receipts meanwhile, the naive client stores nothing; sessions ok ${results.ours.map(({ sessionsOk }) => sessionsOk).join(', ')}; pacing violations ${violations}`,
  ].join('\n')}\n`,
)
writeFileSync(join(here, 'results.json'), `${JSON.stringify({ sessions, rounds, summary, results }, null, 2)}\n`)

// What is done with a recorded run, in a bench of its own.
execFileSync(process.execPath, [join(here, 'windows.js'), '--rounds', String(rounds)], { stdio: 'inherit' })
