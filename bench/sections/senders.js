/** Sessions per core: how many one client drives with every packet on time. */
import { highestHolding, ladder } from '../measure/ladder.js'
import { median, ratio } from '../measure/numbers.js'
import { CLIENTS, REPLY_SHARE, runClient } from '../measure/paced-clients.js'
import { table, times } from '../measure/table.js'

const P99_BELOW_MS = 5
/** Where the search begins, near what such clients do; it finds its way from anywhere. */
const FIRST_TRIAL = { lean: 2400, ws: 1200, naive: 400, asyncio: 400 }

export const title = 'sessions per core'

export async function run({ rounds, seconds, isQuick }) {
  const rungs = ladder(100, 6000, isQuick ? 2 : 1.1)
  const names = Object.keys(CLIENTS).filter((name) => !(isQuick && name === 'ws'))
  const held = Object.fromEntries(names.map((name) => [name, []]))
  const trials = []
  for (let round = 0; round < rounds; round += 1) {
    // The one that goes first in one round goes last in the next.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const start = held[name].at(-1) ?? FIRST_TRIAL[name]
      const index = await highestHolding({
        rungs,
        from: Math.max(
          0,
          rungs.findLastIndex((sessions) => sessions <= start),
        ),
        holds: async (sessions) => {
          const result = await runClient(name, { sessions, seconds }).catch((error) => ({ error: error.message }))
          const isHeld = holds(result, sessions)
          // A search takes minutes, and the table comes at its end.
          process.stderr.write(
            `round ${round + 1}, ${CLIENTS[name].title}: ${sessions} ${isHeld ? 'held' : 'not held'}\n`,
          )
          trials.push({ round, name, held: isHeld, ...result, sessions })
          return isHeld
        },
      })
      held[name].push(index < 0 ? 0 : rungs[index])
    }
  }
  const sessionsPerCore = Object.fromEntries(names.map((name) => [name, median(held[name])]))
  const against = (name, other) => times(ratio(sessionsPerCore[name], sessionsPerCore[other]))
  const missing = CLIENTS.asyncio === undefined ? '; no python3 with websockets: asyncio client left out' : ''
  const text = table(
    `${title}: no send later than 20 ms, p99 under ${P99_BELOW_MS} ms; ${seconds} s, replies to ${100 * REPLY_SHARE}% of the units, traces on; median of ${rounds} rounds${missing}`,
    [
      ['', 'sessions', 'in the rounds', 'to naive', 'to asyncio'],
      ...names.map((name) => [
        CLIENTS[name].title,
        sessionsPerCore[name],
        held[name].join(' '),
        against(name, 'naive'),
        against(name, 'asyncio'),
      ]),
    ],
  )
  return { text, results: { sessions_per_core: sessionsPerCore, rounds: held, trials } }
}

function holds({ error, completed, over_20ms: late, lateness_ms: lateness }, sessions) {
  return error === undefined && completed === sessions && late === 0 && lateness.p99 < P99_BELOW_MS
}
