/** Bootstrap of intervals, against the same written plainly. */
import { median, ratio } from '../measure/numbers.js'
import { CLIENT_CORE, inRepo, pinned, resultOf } from '../measure/processes.js'
import { table, times } from '../measure/table.js'

const KINDS = { ours: 'floorload', plain: 'written plainly' }
const CLUSTERS = 1000
const RESAMPLES = 10_000

export const title = 'bootstrap'

export async function run({ rounds }) {
  const speeds = { ours: [], plain: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of Object.keys(KINDS)) {
      const program = inRepo('bench', 'steps', 'bootstrap.js')
      const command = [process.execPath, program, kind, String(CLUSTERS), String(RESAMPLES)]
      speeds[kind].push((await resultOf(pinned(CLIENT_CORE, command))).resamples_per_s)
    }
  }
  const perSecond = { ours: median(speeds.ours), plain: median(speeds.plain) }
  const text = table(`${title}: resamples of ${CLUSTERS} sessions a second, median of ${rounds} rounds`, [
    ['', 'resamples/s', 'to plain'],
    ...Object.entries(KINDS).map(([kind, name]) => [
      name,
      Math.round(perSecond[kind]),
      times(ratio(perSecond[kind], perSecond.plain)),
    ]),
  ])
  return { text, results: { resamples_per_s: perSecond, rounds: speeds } }
}
