/** Trace writing alone, against a stream for each session. */
import { medians, ratio } from '../measure/numbers.js'
import { CLIENT_CORE, inRepo, pinned, resultOf } from '../measure/processes.js'
import { table, times } from '../measure/table.js'
import { withTempFolder } from '../measure/temp-folder.js'

const KINDS = { ours: 'floorload', streams: 'a stream for each session' }
const SESSIONS = 500

export const title = 'trace write'

export async function run({ rounds, isQuick }) {
  const lines = isQuick ? 50 : 150
  const runs = { ours: [], streams: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of Object.keys(KINDS)) {
      const program = inRepo('bench', 'steps', 'write-traces.js')
      runs[kind].push(
        await withTempFolder((folder) =>
          resultOf(pinned(CLIENT_CORE, [process.execPath, program, kind, folder, String(SESSIONS), String(lines)])),
        ),
      )
    }
  }
  const summary = Object.fromEntries(
    Object.keys(KINDS).map((kind) => [
      kind,
      medians(runs[kind].map(({ mb, online, total }) => figuresOf(mb, online, total))),
    ]),
  )
  const text = table(
    `${title}: ${SESSIONS} sessions, ${lines} messages of 5 KB each, median of ${rounds} rounds; ours writes a journal while packets are sent, and traces of it afterwards`,
    [
      ['', 'MB/s while sending', 'CPU ms per MB', 'MB/s in all', 'CPU ms per MB', 'CPU while sending to ours'],
      ...Object.entries(KINDS).map(([kind, name]) => {
        const { online, total } = summary[kind]
        const share = times(ratio(online.cpu_ms_per_mb, summary.ours.online.cpu_ms_per_mb))
        return [name, online.mb_per_s, online.cpu_ms_per_mb, total.mb_per_s, total.cpu_ms_per_mb, share]
      }),
    ],
  )
  return { text, results: { summary, runs } }
}

function figuresOf(mb, ...phases) {
  const [online, total] = phases.map(({ wall_s: wall, cpu_s: cpu }) => ({
    mb_per_s: mb / wall,
    cpu_ms_per_mb: (1000 * cpu) / mb,
  }))
  return { online, total }
}
