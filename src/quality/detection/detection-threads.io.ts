/**
 * A pool of detection threads, each with a model of its own. A thread is started when there is a job for it, and holds the
 * process open only while it works. One that dies fails its job; the next job starts another.
 */
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { messageOf, UserError } from '../../base/errors.js'
import type { SpeechSegment } from '../../speech/speech-segments.js'
import { RuntimeGate } from './runtime-gate.js'
import { errorOfProblem, type ThreadAnswer, type ThreadData, type ThreadJob } from './thread-messages.js'

const SCRIPT = fileURLToPath(new URL('./detection-thread.io.js', import.meta.url))

interface QueuedJob {
  readonly windows: readonly Int16Array[]
  readonly resolve: (segments: SpeechSegment[][]) => void
  readonly reject: (error: Error) => void
}

interface DetectionThread {
  readonly worker: Worker
  readonly gate: RuntimeGate
  /** What it works on. */
  job: QueuedJob | undefined
}

export interface DetectionThreadsOptions {
  /** At most so many. */
  readonly threads: number
  readonly modelPath?: string | undefined
  /** The entry of a thread; the compiled one beside this file by default. */
  readonly script?: string | undefined
}

export class DetectionThreads {
  readonly #options: DetectionThreadsOptions
  readonly #threads = new Set<DetectionThread>()
  #queue: QueuedJob[] = []
  #isClosed = false
  /** A process that exits ends its threads, and must not do so inside of the runtime. */
  readonly #onProcessExit = () => this.#shutGates()

  constructor(options: DetectionThreadsOptions) {
    this.#options = options
  }

  /**
   * Segments of each window, by the next thread that is free. The windows are copied when it is.
   * @throws UserError DETECTION where a thread dies, or what the thread has thrown
   */
  find(windows: readonly Int16Array[]): Promise<SpeechSegment[][]> {
    if (this.#isClosed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      this.#queue.push({ windows, resolve, reject })
      this.#deal()
    })
  }

  /** Ends all threads; jobs that are open fail. Waits for at most one run of the model, a millisecond. */
  async close(): Promise<void> {
    this.#isClosed = true
    process.off('exit', this.#onProcessExit)
    const threads = [...this.#threads]
    const open = [...this.#queue, ...threads.flatMap(({ job }) => job ?? [])]
    this.#shutGates()
    this.#threads.clear()
    this.#queue = []
    for (const job of open) job.reject(closedError())
    await Promise.all(threads.map(({ worker }) => worker.terminate()))
  }

  #shutGates(): void {
    for (const { gate } of this.#threads) gate.shut()
  }

  #deal(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#threads].find(({ job }) => job === undefined)
      if (idle === undefined && this.#threads.size >= this.#options.threads) return
      const job = this.#queue.shift() as QueuedJob
      try {
        give(idle ?? this.#start(), job)
      } catch (cause) {
        job.reject(deathError(messageOf(cause), cause))
      }
    }
  }

  #start(): DetectionThread {
    if (this.#threads.size === 0 && !process.listeners('exit').includes(this.#onProcessExit)) {
      process.on('exit', this.#onProcessExit)
    }
    const gate = new RuntimeGate()
    const workerData: ThreadData = { modelPath: this.#options.modelPath, gateMemory: gate.memory }
    // Without the process's own flags: some, such as those of a program given on the command line, are none of a thread's.
    const worker = new Worker(this.#options.script ?? SCRIPT, { workerData, execArgv: [] })
    const thread: DetectionThread = { worker, gate, job: undefined }
    this.#threads.add(thread)
    worker.on('message', (answer: ThreadAnswer) => this.#onAnswer(thread, answer))
    worker.on('error', (error) => this.#onDeath(thread, messageOf(error), error))
    worker.on('exit', (code) => this.#onDeath(thread, `it ended with code ${code}`))
    return thread
  }

  #onAnswer(thread: DetectionThread, answer: ThreadAnswer): void {
    // Of a thread that is being ended: it is waited for, so it must go on holding the process open.
    if (!this.#threads.has(thread)) return
    const { job, worker } = thread
    thread.job = undefined
    worker.unref()
    if (answer.kind === 'segments') job?.resolve(answer.segments)
    else job?.reject(errorOfProblem(answer.problem))
    this.#deal()
  }

  #onDeath(thread: DetectionThread, problem: string, cause?: unknown): void {
    if (!this.#threads.delete(thread)) return
    thread.job?.reject(deathError(problem, cause))
    this.#deal()
  }
}

function give(thread: DetectionThread, job: QueuedJob): void {
  thread.job = job
  thread.worker.ref()
  // Copies of their own memory, since a window may be a part of a larger buffer that others read.
  const windows = job.windows.map((window) => window.slice())
  const message: ThreadJob = { windows }
  thread.worker.postMessage(
    message,
    windows.map(({ buffer }) => buffer),
  )
}

function closedError(): Error {
  return new Error('the speech finder is closed')
}

function deathError(problem: string, cause: unknown): UserError {
  return new UserError({
    code: 'DETECTION',
    message: `a speech detection thread failed: ${problem}`,
    fix: 'run it again, with more memory free if that was the cause',
    cause,
  })
}
