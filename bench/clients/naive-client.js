/**
 * What one writes first: a timer for each session, every packet cut, encoded and serialised when it is sent, every message
 * parsed and its audio decoded, every event a line of a stream. Each timer is set to the absolute instant of its packet, so
 * that delays do not add up. Prints one JSON line.
 *
 *   node clients/naive-client.js '{"url":…,"sessions":…,"seconds":…,"folder":…}'
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import WebSocket from 'ws'
import { latenessOf } from '../measure/lateness.js'

const { url, sessions, seconds, folder } = JSON.parse(process.argv[2])
const PACKET_MS = 80
const PACKET_SAMPLES = 1280
const WARM_UP_S = Math.min(2, seconds / 4)
const packets = Math.round((seconds * 1000) / PACKET_MS)
const speech = new Int16Array(PACKET_SAMPLES * packets).map((_, at) => Math.round(3000 * Math.sin(at / 9)))
const latenessMs = []
let completed = 0

function openSession(index) {
  const socket = new WebSocket(url)
  const trace = createWriteStream(join(folder, `${index}.jsonl`))
  const record = (direction, text) =>
    trace.write(`{"direction":"${direction}","time_s":${performance.now() / 1000},"event":${text}}\n`)
  const send = (event, dueMs) => {
    const text = JSON.stringify(event)
    if (dueMs !== undefined) latenessMs.push(performance.now() - dueMs)
    socket.send(text)
    record('send', text)
  }
  const ended = new Promise((resolve) => {
    socket.on('close', () => trace.end(resolve))
  })
  const streamFrom = (startMs, seq = 0) => {
    const dueMs = startMs + seq * PACKET_MS
    setTimeout(() => {
      if (seq === packets) return send({ type: 'sglang.input_audio.end', event_id: 'e' })
      const chunk = speech.subarray(seq * PACKET_SAMPLES, (seq + 1) * PACKET_SAMPLES)
      const audio = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64')
      const media = { seq, t_start_ms: seq * PACKET_MS }
      send({ type: 'input_audio_buffer.append', event_id: `a${seq}`, audio, sglang: media }, dueMs)
      streamFrom(startMs, seq + 1)
    }, dueMs - performance.now())
  }
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (data) => {
      const text = data.toString()
      const event = JSON.parse(text)
      record('receive', text)
      if (typeof event.delta === 'string') Buffer.from(event.delta, 'base64')
      if (event.type === 'session.created') send({ type: 'session.update', event_id: 'u', session: {} })
      if (event.type === 'session.updated') resolve({ streamFrom, ended })
      if (event.type === 'sglang.input_audio.drained') send({ type: 'session.close', event_id: 'c' })
      if (event.type === 'session.closed') {
        completed += 1
        socket.close()
      }
    })
  })
}

const opened = []
while (opened.length < sessions) {
  const few = Math.min(50, sessions - opened.length)
  opened.push(...(await Promise.all(Array.from({ length: few }, (_, at) => openSession(opened.length + at)))))
}
const startMs = performance.now() + 200
opened.forEach(({ streamFrom }, index) => {
  streamFrom(startMs + (index * PACKET_MS) / sessions)
})
const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const sleepUntil = (instantMs) => new Promise((resolve) => setTimeout(resolve, instantMs - performance.now()))
await sleepUntil(startMs + 1000 * WARM_UP_S)
const [cpuBeforeMs, atMs] = [cpuMs(), performance.now()]
await sleepUntil(startMs + 1000 * seconds)
const cpuPerSessionSecond = (cpuMs() - cpuBeforeMs) / (((performance.now() - atMs) / 1000) * sessions)
const rssMb = process.memoryUsage.rss() / 1e6
await Promise.all(opened.map(({ ended }) => ended))
process.stdout.write(
  `${JSON.stringify({
    sessions,
    ...latenessOf(latenessMs),
    completed,
    cpu_ms_per_session_s: cpuPerSessionSecond,
    rss_mb: rssMb,
    wall_s: (performance.now() - startMs) / 1000,
  })}\n`,
)
