/**
 * `npm run bench`: what the load generator and the analysis do on this machine, side by side with plain ways to do the same
 * in one run. Prints tables and writes bench/results.json. Absolute figures are the machine's; the ratios are what to quote.
 * What each figure means: docs/performance.md.
 *
 *   node bench/run.js [--quick] [--only NAME,…] [--rounds 5] [--seconds 10] [--json FILE] [--profile [lean|ws]]
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { otherLoad } from './measure/other-load.js'
import { canPin, inRepo } from './measure/processes.js'

/** In the order in which they run; a section whose module is not there is told as not available. */
const SECTIONS = {
  senders: () => import('./sections/senders.js'),
  levels: () => import('./sections/levels.js'),
  receive: () => import('./sections/receive.js'),
  traces: () => import('./sections/traces.js'),
  analysis: () => import('./sections/analysis.js'),
  windows: () => import('./sections/windows.js'),
  bootstrap: () => import('./sections/bootstrap.js'),
  startup: () => import('./sections/startup.js'),
  demo: () => import('./sections/demo.js'),
}
/** Share of the processors' time that others may take. */
const QUIET_BELOW = 0.05
const PROFILE = { profile: () => import('./sections/profile.js') }

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    json: { type: 'string', default: inRepo('bench', 'results.json') },
  },
})
const isQuick = options.quick
const settings = {
  isQuick,
  rounds: Number(options.rounds ?? (isQuick ? 1 : 5)),
  seconds: Number(options.seconds ?? (isQuick ? 3 : 10)),
  transport: positionals[0],
}
const sections = options.profile ? PROFILE : SECTIONS
const names = options.only?.split(',') ?? Object.keys(sections)
const unknown = names.filter((name) => !(name in sections))
if (unknown.length > 0) {
  process.stderr.write(`no section ${unknown.join(', ')}; there are ${Object.keys(sections).join(', ')}\n`)
  process.exit(2)
}
const machine = {
  node: process.version,
  platform: `${platform()} ${release()}`,
  cpu: cpus()[0]?.model ?? null,
  cores: availableParallelism(),
  memory_gb: Math.round(totalmem() / 1e9),
  pinned: canPin,
}
process.stdout.write(`${Object.values(machine).join(', ')}\n\n`)

const results = {}
for (const name of names) {
  const load = await otherLoad()
  if (load > QUIET_BELOW) {
    const share = `${Math.round(100 * load)}%`
    process.stdout.write(`before ${name} other work took ${share} of the processors: these figures say little\n`)
  }
  const startMs = performance.now()
  const measured = await runSection(sections[name])
  results[name] = { ...measured, other_load_before: load, took_s: Math.round((performance.now() - startMs) / 1000) }
  writeFileSync(
    options.json,
    `${JSON.stringify({ schema: 'floorload.bench/1', machine, settings, results }, null, 1)}\n`,
  )
}

async function runSection(load) {
  try {
    const { run } = await load()
    const { text, results: measured } = await run(settings)
    process.stdout.write(`${text}\n`)
    return measured
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') {
      process.stdout.write(`not available: ${error.message.split('\n')[0]}\n\n`)
      return { not_available: error.message }
    }
    process.stdout.write(`failed: ${error.message}\n\n`)
    process.exitCode = 1
    return { failed: error.message }
  }
}
