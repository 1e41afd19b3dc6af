/** What a level costs at fixed numbers of sessions: lateness, receive delay, CPU, memory, and what aligned phases do. */
import { medians } from '../measure/numbers.js'
import { CLIENTS, REPLY_SHARE, runClient } from '../measure/paced-clients.js'
import { table } from '../measure/table.js'

/** Below the level whose memory is told: the process's base, with its young generation grown. */
const FEW = 250
const ALIGNED_SESSIONS = 500

export const title = 'levels'

export async function run({ rounds, seconds, isQuick }) {
  const levels = isQuick ? [500] : [1000, 2000]
  const names = isQuick ? ['lean'] : ['lean', 'ws']
  const orders = [
    ...[FEW, ...levels].flatMap((sessions) => names.map((name) => ({ name, sessions, phases: 'spread' }))),
    ...names.map((name) => ({ name, sessions: ALIGNED_SESSIONS, phases: 'aligned' })),
  ]
  const runs = orders.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { name, ...order }] of orders.entries()) {
      runs[index].push(await runClient(name, { ...order, seconds }))
    }
  }
  const measured = orders.map((order, index) => ({ ...order, ...summaryOf(runs[index]) }))
  for (const level of measured) level.kb_per_session = memoryPerSession(level, measured)
  const head = ['', 'sessions', 'phases', 'p50', 'p99', 'p99.9', 'max', 'late', 'early', 'receive p99', 'CPU', 'KB']
  const text = table(
    `${title}: send lateness in ms (max: median and worst of the rounds; packets over 20 ms and before they were due, in all rounds), receive delay in ms, CPU ms per session-second, memory per session beyond ${FEW} sessions; ${seconds} s, replies to ${100 * REPLY_SHARE}% of the units, median of ${rounds} rounds`,
    [
      head,
      ...measured.map((level) => [
        CLIENTS[level.name].title,
        level.sessions,
        level.phases,
        level.lateness_ms.p50,
        level.lateness_ms.p99,
        level.lateness_ms.p999,
        `${level.lateness_ms.max.toFixed(1)} ${level.worst_ms.toFixed(1)}`,
        level.over_20ms_in_all,
        level.early_in_all,
        level.receive_delay_p99_ms,
        level.cpu_ms_per_session_s,
        level.kb_per_session,
      ]),
    ],
  )
  return {
    text,
    results: { levels: measured, runs: Object.fromEntries(orders.map((order, at) => [keyOf(order), runs[at]])) },
  }
}

function summaryOf(results) {
  return {
    ...medians(results),
    worst_ms: Math.max(...results.map(({ lateness_ms: { max } }) => max)),
    over_20ms_in_all: results.reduce((total, { over_20ms: late }) => total + late, 0),
    early_in_all: results.reduce((total, { early }) => total + early, 0),
    incomplete: results.filter(({ completed, sessions }) => completed < sessions).length,
  }
}

function memoryPerSession({ name, sessions, phases, rss_mb: rss }, measured) {
  const few = measured.find((level) => level.name === name && level.sessions === FEW)
  return phases === 'aligned' || sessions === FEW ? undefined : (1000 * (rss - few.rss_mb)) / (sessions - FEW)
}

function keyOf({ name, sessions, phases }) {
  return `${name} ${sessions} ${phases}`
}
