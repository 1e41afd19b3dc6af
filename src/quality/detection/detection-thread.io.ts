/** Entry of a detection thread: loads a model of its own, then answers one job after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../base/errors.js'
import { loadSpeechDetector } from '../../speech/detector.io.js'
import { findSegments } from './find-segments.js'
import { RuntimeGate } from './runtime-gate.js'
import { type ThreadAnswer, type ThreadData, type ThreadJob, threadProblem } from './thread-messages.js'

const port = parentPort
assert(port !== null, 'this file runs in a thread')
const { modelPath, gateMemory } = workerData as ThreadData
const gate = new RuntimeGate(gateMemory)
const loading = gate.pass(() =>
  loadSpeechDetector({
    ...(modelPath === undefined ? {} : { modelPath }),
    requiresKnownModel: true,
    aroundRun: (run) => gate.pass(run),
  }),
)
// Told with the answer to the first job.
loading.catch(() => undefined)

port.on('message', (job: ThreadJob) => {
  void answerTo(job).then((answer) => port.postMessage(answer))
})

async function answerTo({ windows }: ThreadJob): Promise<ThreadAnswer> {
  try {
    return { kind: 'segments', segments: await findSegments(await loading, windows) }
  } catch (thrown) {
    return { kind: 'failed', problem: threadProblem(thrown) }
  }
}
