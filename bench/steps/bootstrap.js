/**
 * Intervals of a rate from resampled sessions, by the product's bootstrap or written plainly. Prints one JSON line.
 *
 *   node steps/bootstrap.js ours|plain CLUSTERS RESAMPLES
 */
const [kind, count, resamples] = [process.argv[2], ...process.argv.slice(3).map(Number)]
const clusters = Array.from({ length: count }, (_, index) => ({ trials: 10 + (index % 7), successes: index % 4 }))
const { clusterBootstrapRate } = await import('../../dist/stats/bootstrap.js')

const intervalOf = {
  ours: (m) => clusterBootstrapRate({ clusters, resamples: m, seed: 'bench' }),
  plain,
}[kind]
// Compiled before the clock runs.
intervalOf(Math.ceil(resamples / 10))
const startMs = performance.now()
const { low, high } = intervalOf(resamples)
process.stdout.write(
  `${JSON.stringify({ resamples_per_s: (1000 * resamples) / (performance.now() - startMs), low, high })}\n`,
)

function plain(m) {
  const rates = []
  for (let resample = 0; resample < m; resample += 1) {
    const drawn = clusters.map(() => clusters[Math.floor(Math.random() * clusters.length)])
    const trials = drawn.reduce((sum, cluster) => sum + cluster.trials, 0)
    const successes = drawn.reduce((sum, cluster) => sum + cluster.successes, 0)
    rates.push(successes / trials)
  }
  rates.sort((a, b) => a - b)
  return { low: rates[Math.ceil(m / 40) - 1], high: rates[Math.ceil((39 * m) / 40) - 1] }
}
