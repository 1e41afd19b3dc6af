/**
 * One step of the work on observation windows, in a process of its own: windows of received packets at 24 kHz, two fifths of
 * them reply audio, played out and resampled, and searched for speech. Prints one JSON line.
 *
 *   node steps/windows.js STEP WINDOWS SECONDS
 */
import { createHash } from 'node:crypto'

const OUTPUT_RATE_HZ = 24_000
const PACKET_SAMPLES = (OUTPUT_RATE_HZ * 80) / 1000
const REPLY_SHARE = 0.4
/** Slow, and the same for each window: a part of them says enough. */
const ONE_BY_ONE_SHARE = 1 / 8

const [step, ...numbers] = process.argv.slice(2)
await measure(step, ...numbers.map(Number))

/** Prints one JSON line: what a step took, without the loading of the model and the making of its input. */
async function measure(step, count, seconds) {
  const { observationWindow } = await import('../../dist/quality/window/observation-window.js')
  const { createSpeechFinder } = await import('../../dist/quality/detection/silero-finder.io.js')
  const { loadSpeechDetector } = await import('../../dist/speech/detector.io.js')
  const { findSegments } = await import('../../dist/quality/detection/find-segments.js')
  const received = await makeReceived(count, seconds)
  const playOut = (sessions) =>
    sessions.map(
      (playout) =>
        observationWindow({ playout, startS: 0, windowSamples: seconds * 16_000, outputRateHz: OUTPUT_RATE_HZ }).pcm,
    )
  const finder = await createSpeechFinder(step === 'threads' ? {} : { threads: 0 })
  const detector = await loadSpeechDetector()
  const oneByOne = { probabilitiesOf: (batch) => mapInTurn(batch, (pcm) => detector.probabilities(scaled(pcm))) }
  const windows = step === 'both' ? [] : playOut(received)
  // Code is compiled and threads are started before the clock runs.
  await finder.find(playOut(received.slice(0, 17)).map((pcm) => pcm.subarray(0, 16_000)))
  const fewCount = Math.max(1, Math.round(count * ONE_BY_ONE_SHARE))
  const few = windows.slice(0, fewCount)
  const work = {
    'one by one': () => findSegments(oneByOne, few),
    batch: () => finder.find(windows),
    window: async () => playOut(received),
    both: () => finder.find(playOut(received)),
    threads: () => finder.find(windows),
  }[step]
  const cpuBefore = process.cpuUsage()
  const startMs = performance.now()
  const found = await work()
  const wallS = (performance.now() - startMs) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  await finder.close()
  const result = {
    wallS,
    cpuS: (user + system) / 1e6,
    audioS: found.length * seconds,
    segments: step === 'window' ? null : found.flat().length,
    // The same segments whatever the step: of the windows that every step has.
    sha256:
      step === 'window'
        ? null
        : createHash('sha256')
            .update(JSON.stringify(found.slice(0, fewCount)))
            .digest('hex'),
    rssMb: Math.round(process.memoryUsage().rss / 1e6),
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

/** What a client received in each session: replies in packets of 80 ms at their pace, with silence between them. */
async function makeReceived(count, seconds) {
  const { builtInReplies } = await import('../../dist/speech/clips.io.js')
  const { pcm16Bytes } = await import('../../dist/dataset/input-clip.js')
  const replies = (await builtInReplies(OUTPUT_RATE_HZ)).map(({ pcm }) => pcm)
  return Array.from({ length: count }, (_, index) => {
    const playout = []
    let next = index
    let atS = (index % 10) / 10
    while (atS < seconds) {
      const reply = replies[next % replies.length]
      const lastsS = reply.length / OUTPUT_RATE_HZ
      for (let at = 0; at < reply.length; at += PACKET_SAMPLES) {
        const bytes = pcm16Bytes(reply.subarray(at, at + PACKET_SAMPLES))
        playout.push({ kind: 'audio', timeS: atS + at / OUTPUT_RATE_HZ, bytes })
      }
      next += 1
      atS += lastsS / REPLY_SHARE
    }
    return playout
  })
}

async function mapInTurn(items, map) {
  const results = []
  for (const item of items) results.push(await map(item))
  return results
}

function scaled(pcm) {
  return Float32Array.from(pcm, (sample) => sample / 32_768)
}
