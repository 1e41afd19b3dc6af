/**
 * The local recognizer's process. It is a process of its own because the library ends the whole process on a model that it
 * cannot use. It loads one model, then answers one request after the other, and ends when its parent lets go.
 */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../../base/errors.js'
import type { FromParakeet, ToParakeet } from './parakeet-messages.js'

/** The few functions of sherpa-onnx-node that are used here. Source: sherpa-onnx-node 1.13, non-streaming-asr.js. */
interface Recognizer {
  createStream(): { acceptWaveform(audio: { samples: Float32Array; sampleRate: number }): void }
  decodeAsync(stream: unknown): Promise<unknown>
}
interface SherpaModule {
  readonly OfflineRecognizer: { createAsync(config: object): Promise<Recognizer> }
}

const SAMPLE_RATE_HZ = 16_000
const FULL_SCALE = 32_768

const resultSchema = z.looseObject({
  text: z.string().default(''),
  tokens: z.array(z.string()).default([]),
  timestamps: z.array(z.number()).default([]),
  durations: z.array(z.number()).default([]),
})

let recognizer: Recognizer | undefined
/** Requests are answered in order, one at a time. */
let queue: Promise<void> = Promise.resolve()

process.on('disconnect', () => process.exit(0))
// An interrupt reaches the whole process group; the parent decides what it means.
process.on('SIGINT', () => undefined)
process.on('message', (message: ToParakeet) => {
  queue = queue.then(() => (message.kind === 'load' ? load(message) : transcribe(message)))
})

async function load(message: ToParakeet & { kind: 'load' }): Promise<void> {
  const found = resolved(message.module)
  if (found === undefined) {
    tell({ kind: 'absent', message: `${message.module} is not installed` })
    return
  }
  try {
    const require = createRequire(import.meta.url)
    const sherpa = require(found) as SherpaModule
    const { encoder, decoder, joiner, tokens } = message.files
    recognizer = await sherpa.OfflineRecognizer.createAsync({
      featConfig: { sampleRate: SAMPLE_RATE_HZ, featureDim: 80 },
      modelConfig: {
        transducer: { encoder, decoder, joiner },
        tokens,
        modelType: 'nemo_transducer',
        numThreads: message.threads,
        provider: 'cpu',
        debug: 0,
      },
      decodingMethod: 'greedy_search',
    })
    tell({ kind: 'ready', version: versionBeside(found) })
  } catch (thrown) {
    tell({ kind: 'unusable', message: messageOf(thrown) })
  }
}

async function transcribe({ id, pcm }: ToParakeet & { kind: 'transcribe' }): Promise<void> {
  try {
    if (recognizer === undefined) throw new Error('no model is loaded')
    const stream = recognizer.createStream()
    stream.acceptWaveform({
      sampleRate: SAMPLE_RATE_HZ,
      samples: Float32Array.from(pcm, (value) => value / FULL_SCALE),
    })
    const { text, tokens, timestamps, durations } = resultSchema.parse(await recognizer.decodeAsync(stream))
    tell({ kind: 'tokens', id, text, tokens, timestamps, durations })
  } catch (thrown) {
    tell({ kind: 'failed', id, message: messageOf(thrown) })
  }
}

/** Beside floorload, else in the project of the working folder; undefined where it is in neither. */
function resolved(name: string): string | undefined {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from).resolve(name)
    } catch {
      // Not there.
    }
  }
  return undefined
}

function versionBeside(entry: string): string | null {
  try {
    const manifest = createRequire(import.meta.url)(join(dirname(entry), 'package.json')) as { version?: unknown }
    return typeof manifest.version === 'string' ? manifest.version : null
  } catch {
    return null
  }
}

function tell(message: FromParakeet): void {
  process.send?.(message)
}
