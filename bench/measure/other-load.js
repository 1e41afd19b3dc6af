/** How busy the machine is while the bench does nothing: figures from a busy machine say little. */
import { cpus } from 'node:os'
import { setTimeout } from 'node:timers/promises'

const LOOK_MS = 1000

/** @returns share of all cores' time, 0 to 1 */
export async function otherLoad() {
  const before = spent()
  await setTimeout(LOOK_MS)
  const after = spent()
  return (after.busy - before.busy) / (after.all - before.all)
}

function spent() {
  const times = cpus().map((core) => core.times)
  const idle = times.reduce((sum, each) => sum + each.idle, 0)
  const all = times.reduce((sum, each) => sum + Object.values(each).reduce((a, b) => a + b, 0), 0)
  return { busy: all - idle, all }
}
