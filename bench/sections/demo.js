/** From the command to a verdict: `floorload demo`, warm. */
import { join } from 'node:path'
import { median } from '../measure/numbers.js'
import { inRepo, outputOf } from '../measure/processes.js'
import { table } from '../measure/table.js'
import { withTempFolder } from '../measure/temp-folder.js'

const TARGET_S = 90

export const title = 'demo'

export async function run({ rounds, isQuick }) {
  if (isQuick) return { text: `${title}: left out of a quick run\n`, results: { left_out: 'quick' } }
  const count = Math.min(rounds, 3)
  const walls = []
  for (let round = 0; round < count; round += 1) {
    const startMs = performance.now()
    await withTempFolder((folder) =>
      outputOf([process.execPath, inRepo('bin', 'floorload.js'), 'demo', '--output', join(folder, 'demo')]),
    )
    walls.push((performance.now() - startMs) / 1000)
  }
  const text = table(`${title}: seconds from the command to the verdict, median of ${count} rounds`, [
    ['', 's', 'target, s'],
    ['floorload demo', median(walls), TARGET_S],
  ])
  return { text, results: { wall_s: median(walls), rounds: walls } }
}
