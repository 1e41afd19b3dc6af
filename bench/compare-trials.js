/**
 * Does `compare` cry wolf, and does it see a wolf? Whole sweeps of the real client against the loopback server on a virtual
 * clock, in pairs: twenty of identical accelerators with seeds of their own, twenty with the new one 15% slower. Prints how
 * often each verdict was given and which figures were called worse, and writes bench/compare-trials-results.json.
 *
 *   node bench/compare-trials.js [--trials 20] [--slower 0.15] [--sessions 24] [--jitter 0.02] [--repeats 1]
 */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

const here = dirname(fileURLToPath(import.meta.url))
const LEVELS = [1, 2, 4, 8]

// The virtual level is a test helper in TypeScript, so it is loaded as the tests load it.
const modules = await createServer({
  root: join(here, '..'),
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
})
try {
  await trials()
} finally {
  await modules.close()
}

async function trials() {
  const { virtualSweep } = await modules.ssrLoadModule('/test/helpers/compared-sides.ts')
  const { compareSides } = await modules.ssrLoadModule('/src/sweep/comparison/comparison.ts')
  const { parseThresholds } = await modules.ssrLoadModule('/src/sweep/comparison/thresholds.ts')
  const { loadProfile } = await modules.ssrLoadModule('/src/profile/load-profile.io.ts')
  const settings = {
    trials: option('trials', 20),
    slower: option('slower', 0.15),
    sessions: option('sessions', 24),
    jitter: option('jitter', 0.02),
    repeats: option('repeats', 1),
    stall_every_s: option('stall-every-s', 0),
    stall_ms: option('stall-ms', 0),
  }
  const profile = await loadProfile('minicpmo-native')
  const sweep = (factor, seed) =>
    virtualSweep(
      {
        profile,
        levels: LEVELS,
        sessions: settings.sessions,
        repeats: settings.repeats,
        server: {
          baseMs: 100 * factor,
          perUnitMs: 150 * factor,
          jitter: settings.jitter,
          seed,
          ...(settings.stall_every_s > 0 ? { stallEveryS: settings.stall_every_s, stallMs: settings.stall_ms } : {}),
        },
      },
      seed,
    )
  const results = { settings, levels: LEVELS }
  for (const [name, factor] of [
    ['identical', 1],
    ['slower', 1 + settings.slower],
  ]) {
    const verdicts = {}
    const figures = {}
    for (let trial = 0; trial < settings.trials; trial += 1) {
      const [old, fresh] = [await sweep(1, `old-${trial}`), await sweep(factor, `new-${trial}`)]
      const comparison = compareSides({ old, new: fresh, thresholds: parseThresholds([]), toolVersion: 'bench' })
      count(verdicts, comparison.verdict)
      for (const { concurrency, metrics } of comparison.levels) {
        for (const { metric, verdict } of metrics) {
          if (verdict === 'worse' || verdict === 'better') count(figures, `${metric} at ${concurrency}: ${verdict}`)
        }
      }
    }
    results[name] = { verdicts, figures }
    process.stdout.write(`${name}: ${listed(verdicts)}\n${listed(figures, '\n').replace(/^(?=.)/gm, '  ')}\n`)
  }
  writeFileSync(join(here, 'compare-trials-results.json'), `${JSON.stringify(results, null, 2)}\n`)
}

function count(counts, key) {
  counts[key] = (counts[key] ?? 0) + 1
}

function listed(counts, separator = ', ') {
  return Object.entries(counts)
    .map(([key, number]) => `${key} ${number}`)
    .join(separator)
}

function option(name, fallback) {
  const index = process.argv.indexOf(`--${name}`)
  return index < 0 ? fallback : Number(process.argv[index + 1])
}
