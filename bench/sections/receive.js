/** What one received message costs (read, parse, trace): what answered units add to the CPU. */
import { median, ratio } from '../measure/numbers.js'
import { CLIENTS, runClient } from '../measure/paced-clients.js'
import { table, times } from '../measure/table.js'

const SESSIONS = 200
/** Units answered: none, all of them. */
const SHARES = [0, 1]
/** Of the null server in a unit of a second that it answers: 13 with audio, and the frame of the response around them. */
const MESSAGES_PER_S = 16

export const title = 'receive'

export async function run({ rounds, seconds, isQuick }) {
  const names = isQuick ? ['lean', 'naive'] : Object.keys(CLIENTS)
  const costs = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const cpu = []
      for (const replyShare of SHARES) {
        cpu.push((await runClient(name, { sessions: SESSIONS, seconds, replyShare })).cpu_ms_per_session_s)
      }
      costs[name].push((1000 * (cpu[1] - cpu[0])) / MESSAGES_PER_S)
    }
  }
  const micros = Object.fromEntries(names.map((name) => [name, median(costs[name])]))
  const text = table(
    `${title}: CPU microseconds for each message received, most of them 80 ms of audio, ${SESSIONS} sessions, median of ${rounds} rounds`,
    [
      ['', 'us', 'to lean'],
      ...names.map((name) => [CLIENTS[name].title, micros[name], times(ratio(micros[name], micros.lean))]),
    ],
  )
  return { text, results: { cpu_us_per_message: micros, rounds: costs } }
}
