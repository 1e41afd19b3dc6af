/**
 * The null server in a process of its own. Prints one JSON line with its address when it listens, runs until its standard
 * input ends or it is told to terminate, and prints what it has done.
 *
 *   node null-server-process.io.js [--port 0] [--reply-share 0.4] [--profile minicpmo-native]
 */
import { parseArgs } from 'node:util'
import { loadProfile } from '../profile/load-profile.io.js'
import { startNullServer } from './null-server.io.js'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'reply-share': { type: 'string', default: '0.4' },
    profile: { type: 'string', default: 'minicpmo-native' },
  },
})
const server = await startNullServer({
  profile: await loadProfile(values.profile),
  port: Number(values.port),
  replyShare: Number(values['reply-share']),
})
print({ url: server.url })

// An interrupt is for the parent to act on.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('SIGTERM', end)
process.stdin.on('end', end).on('error', end).resume()

let isOver = false
function end(): void {
  if (isOver) return
  isOver = true
  const { user, system } = process.cpuUsage()
  print({ ...server.stats(), cpu_s: (user + system) / 1e6 })
  server.close()
  process.stdin.destroy()
}

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
