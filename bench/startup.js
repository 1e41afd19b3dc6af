/** How long the command takes to say what it can do, beside an empty run of the runtime. */
import { spawnSync } from 'node:child_process'
import { median } from './measure/numbers.js'
import { inRepo } from './measure/processes.js'

const BIN = inRepo('bin', 'floorload.js')
const COMMANDS = {
  'node -e 0': ['-e', '0'],
  'floorload --help': [BIN, '--help'],
  'floorload --version': [BIN, '--version'],
  'floorload sweep --help': [BIN, 'sweep', '--help'],
}

/** @returns median milliseconds by command; rounds are interleaved */
export function measureStartup({ rounds }) {
  const ms = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(COMMANDS)) {
      const startMs = performance.now()
      const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
      if (status !== 0) throw new Error(`${name} ended with ${status}`)
      ms[name].push(performance.now() - startMs)
    }
  }
  return Object.fromEntries(Object.entries(ms).map(([name, values]) => [name, median(values)]))
}
