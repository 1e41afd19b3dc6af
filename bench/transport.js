/**
 * The two transports side by side, and nothing else of the load generator but its pacer: sessions that send packets on
 * schedule to a server that reads them and says nothing, or answers part of them with reply audio. Client on one core,
 * server on another, rounds interleaved. Prints a table and writes bench/transport-results.json. Absolute figures are the
 * machine's; the ratios are what to quote. Needs `npm run build`.
 *
 *   node bench/transport.js [--sessions 500,1000] [--rounds 5] [--seconds 8] [--reply-shares 0,0.4]
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKET_US = 80_000
const SAMPLE_RATE_HZ = 16_000
/** Until then code is compiled, and what that costs says nothing of the transports. */
const WARM_UP_US = 2_000_000
const here = dirname(fileURLToPath(import.meta.url))
const self = fileURLToPath(import.meta.url)
const TRANSPORTS = ['ws', 'lean']

const [role, ...roleArguments] = process.argv.slice(2)
if (role === 'server') serve(Number(roleArguments[0]))
else if (role === 'client') await drive(...roleArguments)
else await compare()

/** Reads and forgets; where the share is not 0, that share of the reads is answered with 80 ms of audio at 24 kHz. */
function serve(replyShare) {
  const delta = Buffer.alloc(2 * 24_000 * 0.08, 1).toString('base64')
  const reply = Buffer.from(JSON.stringify({ type: 'response.output_audio.delta', event_id: 'evt_1', delta }))
  const frame = Buffer.concat([Buffer.from([0x81, 126, reply.length >> 8, reply.length & 0xff]), reply])
  const server = createServer({ noDelay: true }, (socket) => {
    let owed = 0
    socket.on('error', () => undefined)
    socket.once('data', (head) => {
      const key = /sec-websocket-key: (.*)\r/i.exec(head.toString('latin1'))?.[1]
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      socket.write(
        `HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      )
      socket.on('data', () => {
        owed += replyShare
        if (owed < 1) return
        owed -= 1
        socket.write(frame)
      })
    })
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    process.stdout.write(`ws://127.0.0.1:${server.address().port}/\n`)
  })
}

/** Prints one JSON line: what it cost to send for this long, once every session was open. */
async function drive(name, url, sessionCount, seconds) {
  const { createLevelTransport } = await import('../dist/load/level-transport.io.js')
  const { PacedInput } = await import('../dist/load/paced-input.js')
  const { SystemClock } = await import('../dist/base/system-clock.io.js')
  const { appendFrames } = await import('../dist/protocol/session/client-events.js')
  const [sessions, packetCount] = [Number(sessionCount), Math.round((Number(seconds) * 1e6) / PACKET_US)]
  const samplesPerPacket = (SAMPLE_RATE_HZ * PACKET_US) / 1e6
  const pcm = new Int16Array(samplesPerPacket * packetCount).map((_, at) => Math.round(3000 * Math.sin(at / 9)))
  const clock = new SystemClock()
  const transport = createLevelTransport(name, { url, headers: {}, handshakeTimeoutMs: 20_000 })
  const { frames, ...rest } = appendFrames(pcm, samplesPerPacket)
  const packets = { ...rest, frames: frames.map((frame) => transport.prepare(frame)) }
  let received = 0
  let lost = 0
  const rssBefore = settledRss()
  const open = () =>
    new Promise((resolve, reject) => {
      const connection = transport.connect({
        onOpen: () => resolve(connection),
        onText: () => {
          received += 1
        },
        onBinary: () => undefined,
        onRefused: ({ status }) => reject(new Error(`refused with ${status}`)),
        onFailed: (message) => reject(new Error(message)),
        onClosed: () => {
          lost += 1
        },
      })
    })
  const connections = []
  while (connections.length < sessions) {
    const few = Math.min(50, sessions - connections.length)
    connections.push(...(await Promise.all(Array.from({ length: few }, open))))
  }
  const bytesPerSession = (settledRss() - rssBefore) / sessions
  const startAtUs = clock.nowUs() + 200_000
  const inputs = []
  let cpuBefore
  clock.at(startAtUs + WARM_UP_US, () => {
    cpuBefore = process.cpuUsage()
  })
  await Promise.all(
    connections.map(
      (connection, index) =>
        new Promise((resolve) => {
          const input = new PacedInput({
            clock,
            packets,
            sampleRateHz: SAMPLE_RATE_HZ,
            packetUs: PACKET_US,
            send: (frame, onTaken) => connection.send(frame, onTaken),
            onSent: () => undefined,
            onEnd: resolve,
          })
          inputs.push(input)
          // Phases spread over one packet interval, as a level does it.
          input.start(startAtUs + Math.floor((index * PACKET_US) / sessions))
        }),
    ),
  )
  const cpu = process.cpuUsage(cpuBefore)
  const sent = inputs.flatMap((input) => input.timings)
  const timings = sent.filter(({ dueAtUs }) => dueAtUs >= startAtUs + WARM_UP_US)
  const measuredS = sessions * ((packetCount * PACKET_US - WARM_UP_US) / 1e6)
  const at = (values, q) => values[Math.min(values.length - 1, Math.floor(q * values.length))]
  const latenessMs = timings.map(({ dueAtUs, startAtUs }) => (startAtUs - dueAtUs) / 1000).sort((a, b) => a - b)
  process.stdout.write(
    `${JSON.stringify({
      sends: timings.length,
      taken: timings.filter(({ doneAtUs }) => doneAtUs !== undefined).length,
      received,
      lost,
      cpuMsPerSessionS: (cpu.user + cpu.system) / 1000 / measuredS,
      userMsPerSessionS: cpu.user / 1000 / measuredS,
      latenessMsP50: at(latenessMs, 0.5),
      latenessMsP99: at(latenessMs, 0.99),
      latenessMsMax: latenessMs.at(-1),
      bytesPerSession,
    })}\n`,
  )
  process.exit()
}

/** Resident memory when what can be let go has been let go; needs --expose-gc. */
function settledRss() {
  globalThis.gc?.()
  return process.memoryUsage.rss()
}

async function compare() {
  const option = (name, fallback) => {
    const index = process.argv.indexOf(`--${name}`)
    return index < 0 ? fallback : process.argv[index + 1].split(',').map(Number)
  }
  const [rounds] = option('rounds', [5])
  const [seconds] = option('seconds', [8])
  const scenarios = option('reply-shares', [0, 0.4]).flatMap((replyShare) =>
    option('sessions', [500, 1000]).map((sessions) => ({ sessions, replyShare })),
  )
  const results = []
  for (const scenario of scenarios) {
    const runs = { ws: [], lean: [] }
    for (let round = 0; round < rounds; round += 1) {
      // The one that goes first in one round goes last in the next.
      for (const name of round % 2 === 0 ? TRANSPORTS : [...TRANSPORTS].reverse()) {
        runs[name].push(await runOnce(name, { ...scenario, seconds }))
      }
    }
    const medians = Object.fromEntries(TRANSPORTS.map((name) => [name, mediansOf(runs[name])]))
    const ratios = Object.fromEntries(
      Object.keys(medians.ws).map((key) => [key, Number((medians.ws[key] / medians.lean[key]).toFixed(2))]),
    )
    results.push({ ...scenario, seconds, rounds, ratio_ws_to_lean: ratios, medians, runs })
    process.stdout.write(`${tableOf(results.at(-1))}\n\n`)
  }
  const file = join(here, 'transport-results.json')
  writeFileSync(file, `${JSON.stringify({ node: process.version, results }, null, 2)}\n`)
}

async function runOnce(name, { sessions, replyShare, seconds }) {
  const server = spawn(...pinned(1, [self, 'server', String(replyShare)]), { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const url = (await firstLineOf(server)).trim()
    const flags = ['--max-semi-space-size=64', '--expose-gc']
    const client = spawn(...pinned(0, [...flags, self, 'client', name, url, String(sessions), String(seconds)]), {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const result = JSON.parse(await firstLineOf(client))
    if (result.lost > 0) throw new Error(`${name}: ${result.lost} connections were lost`)
    return result
  } finally {
    server.kill('SIGKILL')
  }
}

function firstLineOf(child) {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text)
    })
    child.once('close', (code) => reject(new Error(`the process ended with code ${code}`)))
  })
}

/** Runs Node on one processor where the system can do that, so that client and server do not share a core. */
function pinned(core, command) {
  if (process.platform === 'linux' && cpus().length > 1) {
    try {
      execFileSync('taskset', ['-c', String(core), 'true'], { stdio: 'ignore' })
      return ['taskset', ['-c', String(core), process.execPath, ...command]]
    } catch {
      // No such tool: unpinned, and noisier.
    }
  }
  return [process.execPath, command]
}

function mediansOf(runs) {
  const keys = [
    'cpuMsPerSessionS',
    'userMsPerSessionS',
    'latenessMsP50',
    'latenessMsP99',
    'latenessMsMax',
    'bytesPerSession',
  ]
  const median = (key) => runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor((runs.length - 1) / 2)]
  return Object.fromEntries(keys.map((key) => [key, median(key)]))
}

function tableOf({ sessions, replyShare, rounds, seconds, medians, ratio_ws_to_lean: ratios }) {
  const replies = replyShare === 0 ? 'no replies' : `replies to ${100 * replyShare}% of the packets`
  const row = (label, key, digits) =>
    [
      label.padEnd(36),
      ...TRANSPORTS.map((name) => medians[name][key].toFixed(digits).padStart(10)),
      String(ratios[key]).padStart(8),
    ].join(' ')
  return [
    `${sessions} sessions, ${replies}, ${seconds} s, median of ${rounds} interleaved rounds`,
    `${''.padEnd(36)} ${'ws'.padStart(10)} ${'lean'.padStart(10)} ${'ratio'.padStart(8)}`,
    row('client CPU per session-second, ms', 'cpuMsPerSessionS', 3),
    row('of it in user space, ms', 'userMsPerSessionS', 3),
    row('send lateness p50, ms', 'latenessMsP50', 2),
    row('send lateness p99, ms', 'latenessMsP99', 2),
    row('send lateness max, ms', 'latenessMsMax', 2),
    row('resident memory per session, bytes', 'bytesPerSession', 0),
  ].join('\n')
}
