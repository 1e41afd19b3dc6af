/**
 * What one writes first: a timer for each session, and every packet cut, encoded and serialised when it is sent. Kept as
 * the other side of the ratio. Prints one JSON line: lateness of its sends in milliseconds, and the CPU time it took.
 *
 *   node bench/naive-client.js URL SESSIONS SECONDS
 */
import { performance } from 'node:perf_hooks'
import WebSocket from 'ws'

const [url, sessionCount, seconds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const PACKET_MS = 80
const PACKET_SAMPLES = 1280
const latenessMs = []
let received = 0

const speech = new Int16Array(16_000 * seconds).map((_, index) => Math.round(3000 * Math.sin(index / 9)))

function session() {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    const send = (event) => socket.send(JSON.stringify(event))
    socket.on('message', (data) => {
      const event = JSON.parse(data)
      received += 1
      if (typeof event.delta === 'string') Buffer.from(event.delta, 'base64')
      if (event.type === 'session.created') send({ type: 'session.update', event_id: 'u', session: {} })
      if (event.type === 'session.updated') stream()
      if (event.type === 'sglang.input_audio.drained') send({ type: 'session.close', event_id: 'c' })
    })
    socket.on('close', resolve)
    socket.on('error', reject)
    function stream() {
      const startedMs = performance.now()
      let seq = 0
      const timer = setInterval(() => {
        const chunk = speech.subarray(seq * PACKET_SAMPLES, (seq + 1) * PACKET_SAMPLES)
        if (chunk.length === 0) {
          clearInterval(timer)
          send({ type: 'sglang.input_audio.end', event_id: 'e' })
          return
        }
        latenessMs.push(performance.now() - (startedMs + (seq + 1) * PACKET_MS))
        const audio = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64')
        send({
          type: 'input_audio_buffer.append',
          event_id: `a${seq}`,
          audio,
          sglang: { seq, t_start_ms: seq * PACKET_MS },
        })
        seq += 1
      }, PACKET_MS)
    }
  })
}

const before = process.cpuUsage()
const startedMs = performance.now()
await Promise.all(Array.from({ length: sessionCount }, session))
const cpu = process.cpuUsage(before)
latenessMs.sort((a, b) => a - b)
const at = (q) => latenessMs[Math.min(latenessMs.length - 1, Math.floor(q * latenessMs.length))]
process.stdout.write(
  `${JSON.stringify({
    sends: latenessMs.length,
    received,
    p50: at(0.5),
    p99: at(0.99),
    max: latenessMs.at(-1),
    cpuS: (cpu.user + cpu.system) / 1e6,
    wallS: (performance.now() - startedMs) / 1000,
  })}\n`,
)
