/** Where the CPU time of a sender goes: its functions by self time, from V8's profiler. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runClient } from '../measure/paced-clients.js'
import { inRepo } from '../measure/processes.js'
import { table } from '../measure/table.js'
import { withTempFolder } from '../measure/temp-folder.js'

const SESSIONS = 1000
const SHOWN = 25

export const title = 'profile'

export async function run({ seconds, transport = 'lean' }) {
  return await withTempFolder(async (folder) => {
    const hook = inRepo('bench', 'measure', 'profiler.cjs')
    const result = await runClient(transport, {
      sessions: SESSIONS,
      seconds,
      // The profiler samples from a thread of its own, which needs a core while the sender works.
      isPinned: false,
      env: { NODE_OPTIONS: `--require ${hook}`, FLOORLOAD_BENCH_PROFILES: folder },
    })
    // The process that drives the sessions is by far the busiest one.
    const [busiest] = readdirSync(folder)
      .map((name) => selfTimes(JSON.parse(readFileSync(join(folder, name), 'utf8')), result.steady_s))
      .sort((a, b) => b.busyMs - a.busyMs)
    const rows = busiest.functions.slice(0, SHOWN)
    const text = table(
      `${title}: ${transport}, ${SESSIONS} sessions for ${seconds} s, self time of the sender's functions in the steady seconds; busy ${(busiest.busyMs / 1000).toFixed(2)} s of ${(busiest.totalMs / 1000).toFixed(2)} s, lateness p99 ${result.lateness_ms.p99.toFixed(2)} ms under the profiler`,
      [
        ['', 'ms', '% of busy'],
        ...rows.map(({ name, ms }) => [name, Math.round(ms), ((100 * ms) / busiest.busyMs).toFixed(1)]),
      ],
    )
    return { text, results: { transport, sessions: SESSIONS, result, ...busiest, functions: rows } }
  })
}

/** @param steadyS begin and end of what counts; the profiler's clock is the trace's */
function selfTimes({ nodes, samples, timeDeltas, startTime }, [fromS, toS]) {
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, nameOfFrame(callFrame)]))
  const msOf = new Map()
  let atUs = startTime
  for (const [index, id] of samples.entries()) {
    atUs += timeDeltas[index]
    if (atUs < 1e6 * fromS || atUs > 1e6 * toS) continue
    const name = nameOf.get(id)
    msOf.set(name, (msOf.get(name) ?? 0) + timeDeltas[index] / 1000)
  }
  const idleMs = msOf.get('(idle)') ?? 0
  msOf.delete('(idle)')
  const functions = [...msOf].map(([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms)
  const busyMs = functions.reduce((total, { ms }) => total + ms, 0)
  return { busyMs, totalMs: busyMs + idleMs, functions }
}

function nameOfFrame({ functionName, url, lineNumber }) {
  const name = functionName === '' ? '(anonymous)' : functionName
  if (url === '') return name
  return `${name}  ${url.replace(/^.*\/(dist|node_modules)\//, '').replace(/^file:\/\//, '')}:${lineNumber + 1}`
}
