/** Observation windows at speed: what is done with a recorded run before it is scored. */
import { availableParallelism } from 'node:os'
import { median, ratio } from '../measure/numbers.js'
import { CLIENT_CORE, inRepo, pinned, resultOf } from '../measure/processes.js'
import { table, times } from '../measure/table.js'

const SECONDS = 15
/** `window` finds no speech; the others have to find the same. */
const STEPS = {
  'one by one': { title: 'speech, one window after the other', cores: 1 },
  batch: { title: 'speech, windows in batches', cores: 1 },
  window: { title: 'window: playout and resampling', cores: 1 },
  both: { title: 'window and speech in batches', cores: 1 },
  threads: { title: 'speech, threads on all cores', cores: availableParallelism() },
}

export const title = 'window export and speech detection'

export async function run({ rounds, isQuick }) {
  const windows = isQuick ? 16 : 128
  const runs = Object.fromEntries(Object.keys(STEPS).map((step) => [step, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [step, { cores }] of Object.entries(STEPS)) {
      const program = inRepo('bench', 'steps', 'windows.js')
      const command = [process.execPath, '--no-warnings', program, step, String(windows), String(SECONDS)]
      runs[step].push(await resultOf(cores === 1 ? pinned(CLIENT_CORE, command) : command))
    }
  }
  const hashes = new Set(Object.values(runs).flatMap((list) => list.flatMap(({ sha256 }) => sha256 ?? [])))
  if (hashes.size !== 1) throw new Error('the steps found different segments')
  const summary = Object.fromEntries(
    Object.entries(runs).map(([step, list]) => [
      step,
      {
        x_real_time: median(list.map(({ audioS, wallS }) => audioS / wallS)),
        // What a core does when nothing else wants it.
        x_real_time_per_cpu_s: median(list.map(({ audioS, cpuS }) => audioS / cpuS)),
        rss_mb: median(list.map(({ rssMb }) => rssMb)),
      },
    ]),
  )
  const slowest = summary['one by one'].x_real_time_per_cpu_s
  const text = table(
    `${title}: ${windows} windows of ${SECONDS} s, times real time, the same segments in every step; median of ${rounds} rounds`,
    [
      ['', 'cores', 'by the clock', 'per CPU s', 'RSS, MB', 'to one by one'],
      ...Object.entries(STEPS).map(([step, { title: name, cores }]) => {
        const { x_real_time: wall, x_real_time_per_cpu_s: cpu, rss_mb: rss } = summary[step]
        return [name, cores, wall, cpu, rss, step === 'window' ? undefined : times(ratio(cpu, slowest))]
      }),
    ],
  )
  return { text, results: { summary, runs } }
}
