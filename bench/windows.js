/**
 * Observation windows at speed: played out and resampled from received packets at 24 kHz, and searched for speech. 128
 * windows of 15 s, two fifths of them reply audio, on one core, and the search on all of them; rounds interleaved, each
 * step in a process of its own. Prints a table and writes bench/windows-results.json. Needs `npm run build`.
 *
 *   node bench/windows.js [--windows 128] [--seconds 15] [--rounds 5]
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const self = fileURLToPath(import.meta.url)
const here = dirname(self)
const OUTPUT_RATE_HZ = 24_000
const PACKET_SAMPLES = (OUTPUT_RATE_HZ * 80) / 1000
const REPLY_SHARE = 0.4
/** Slow, and the same for each window: a part of them says enough. */
const ONE_BY_ONE_SHARE = 1 / 8

/** `window` finds no speech; the others have to find the same. */
const STEPS = {
  'one by one': { title: 'speech, one window after the other', cores: 1 },
  batch: { title: 'speech, windows in batches', cores: 1 },
  window: { title: 'window: playout and resampling', cores: 1 },
  both: { title: 'window and speech in batches', cores: 1 },
  threads: { title: 'speech, threads on all cores', cores: availableParallelism() },
}

const [role, ...rest] = process.argv.slice(2)
if (role === 'step') await measure(rest[0], Number(rest[1]), Number(rest[2]))
else await compare()

/** Prints one JSON line: what a step took, without the loading of the model and the making of its input. */
async function measure(step, count, seconds) {
  const { observationWindow } = await import('../dist/quality/window/observation-window.js')
  const { createSpeechFinder } = await import('../dist/quality/detection/silero-finder.io.js')
  const { loadSpeechDetector } = await import('../dist/speech/detector.io.js')
  const { findSegments } = await import('../dist/quality/detection/find-segments.js')
  const received = await makeReceived(count, seconds)
  const playOut = (sessions) =>
    sessions.map(
      (playout) =>
        observationWindow({ playout, startS: 0, windowSamples: seconds * 16_000, outputRateHz: OUTPUT_RATE_HZ }).pcm,
    )
  const finder = await createSpeechFinder(step === 'threads' ? {} : { threads: 0 })
  const detector = await loadSpeechDetector()
  const oneByOne = { probabilitiesOf: (batch) => mapInTurn(batch, (pcm) => detector.probabilities(scaled(pcm))) }
  const windows = step === 'both' ? [] : playOut(received)
  // Code is compiled and threads are started before the clock runs.
  await finder.find(playOut(received.slice(0, 17)).map((pcm) => pcm.subarray(0, 16_000)))
  const fewCount = Math.max(1, Math.round(count * ONE_BY_ONE_SHARE))
  const few = windows.slice(0, fewCount)
  const work = {
    'one by one': () => findSegments(oneByOne, few),
    batch: () => finder.find(windows),
    window: async () => playOut(received),
    both: () => finder.find(playOut(received)),
    threads: () => finder.find(windows),
  }[step]
  const cpuBefore = process.cpuUsage()
  const startMs = performance.now()
  const found = await work()
  const wallS = (performance.now() - startMs) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  await finder.close()
  const result = {
    wallS,
    cpuS: (user + system) / 1e6,
    audioS: found.length * seconds,
    segments: step === 'window' ? null : found.flat().length,
    // The same segments whatever the step: of the windows that every step has.
    sha256:
      step === 'window'
        ? null
        : createHash('sha256')
            .update(JSON.stringify(found.slice(0, fewCount)))
            .digest('hex'),
    rssMb: Math.round(process.memoryUsage().rss / 1e6),
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

/** What a client received in each session: replies in packets of 80 ms at their pace, with silence between them. */
async function makeReceived(count, seconds) {
  const { builtInReplies } = await import('../dist/speech/clips.io.js')
  const { pcm16Bytes } = await import('../dist/dataset/input-clip.js')
  const replies = (await builtInReplies(OUTPUT_RATE_HZ)).map(({ pcm }) => pcm)
  return Array.from({ length: count }, (_, index) => {
    const playout = []
    let next = index
    let atS = (index % 10) / 10
    while (atS < seconds) {
      const reply = replies[next % replies.length]
      const lastsS = reply.length / OUTPUT_RATE_HZ
      for (let at = 0; at < reply.length; at += PACKET_SAMPLES) {
        const bytes = pcm16Bytes(reply.subarray(at, at + PACKET_SAMPLES))
        playout.push({ kind: 'audio', timeS: atS + at / OUTPUT_RATE_HZ, bytes })
      }
      next += 1
      atS += lastsS / REPLY_SHARE
    }
    return playout
  })
}

async function mapInTurn(items, map) {
  const results = []
  for (const item of items) results.push(await map(item))
  return results
}

function scaled(pcm) {
  return Float32Array.from(pcm, (sample) => sample / 32_768)
}

async function compare() {
  const option = (name, fallback) => {
    const index = process.argv.indexOf(`--${name}`)
    return index < 0 ? fallback : Number(process.argv[index + 1])
  }
  const [windows, seconds, rounds] = [option('windows', 128), option('seconds', 15), option('rounds', 5)]
  const runs = Object.fromEntries(Object.keys(STEPS).map((step) => [step, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const step of Object.keys(STEPS)) runs[step].push(await runStep(step, windows, seconds))
  }
  const hashes = new Set(Object.values(runs).flatMap((list) => list.flatMap(({ sha256 }) => sha256 ?? [])))
  if (hashes.size !== 1) throw new Error('the steps found different segments')

  const summary = Object.fromEntries(
    Object.entries(runs).map(([step, list]) => [
      step,
      {
        x_real_time: round1(median(list.map(({ audioS, wallS }) => audioS / wallS))),
        // What a core does when nothing else wants it.
        x_real_time_per_cpu_s: round1(median(list.map(({ audioS, cpuS }) => audioS / cpuS))),
        rss_mb: median(list.map(({ rssMb }) => rssMb)),
      },
    ]),
  )
  const ratio = round1(summary.batch.x_real_time_per_cpu_s / summary['one by one'].x_real_time_per_cpu_s)
  const rows = Object.entries(STEPS).map(([step, { title, cores }]) => {
    const { x_real_time: wall, x_real_time_per_cpu_s: cpu, rss_mb: rss } = summary[step]
    return [
      title.padEnd(38),
      String(cores).padStart(6),
      ...[wall, cpu, rss].map((value) => String(value).padStart(14)),
    ].join('')
  })
  process.stdout.write(
    `${[
      `${windows} windows of ${seconds} s, median of ${rounds} interleaved rounds; times real time`,
      `${''.padEnd(38)}${'cores'.padStart(6)}${'by the clock'.padStart(14)}${'per CPU s'.padStart(14)}${'RSS, MB'.padStart(14)}`,
      ...rows,
      `batches against one by one: ${ratio} times per CPU second; the same segments in every step`,
    ].join('\n')}\n`,
  )
  const results = { windows, seconds, rounds, summary, ratio_batch_to_one_by_one: ratio, runs }
  writeFileSync(join(here, 'windows-results.json'), `${JSON.stringify(results, null, 2)}\n`)
}

function runStep(step, windows, seconds) {
  const command = [process.execPath, '--no-warnings', self, 'step', step, String(windows), String(seconds)]
  const [program, ...args] = STEPS[step].cores === 1 ? pinned(0, command) : command
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
    })
    child.once('close', (code) =>
      code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`step ${step} ended with ${code}`)),
    )
  })
}

/** Pins a command to one processor where the system can do that. */
function pinned(core, command) {
  if (process.platform !== 'linux' || cpus().length < 2) return command
  try {
    execFileSync('taskset', ['-c', String(core), 'true'], { stdio: 'ignore' })
    return ['taskset', '-c', String(core), ...command]
  } catch {
    return command
  }
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)]
}

function round1(value) {
  return Math.round(value * 10) / 10
}
