/** A sender as the process that runs the level sees it: started, pinned, talked to, and survived. */
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromSender, ToSender } from './sender-messages.js'

const SENDER_PROCESS = fileURLToPath(new URL('./sender-process.io.js', import.meta.url))

/**
 * The collector on the sender's own thread, and rarely: V8's helper threads would compete with it for its core at the worst
 * moments, and can be kept away only at the start of a process. Young objects here die young; with this much room for them
 * a collection is seldom and short. They get it from the start: a young generation that grows is
 * collected again and again while the level begins. The collection that V8 would make of a process that seems idle, after some
 * eight seconds, takes tens of milliseconds on this thread, in the midst of a small level.
 */
const NODE_FLAGS = [
  '--single-threaded-gc',
  '--max-semi-space-size=64',
  '--min-semi-space-size=64',
  '--no-memory-reducer',
  '--expose-gc',
]
const STDERR_LENGTH = 4000

export interface SenderHandlers {
  onMessage(message: FromSender): void
  /** The process is gone, and will say nothing more. @param how for a person, when it went by itself */
  onGone(how: string): void
}

export class SenderHandle {
  readonly #child: ChildProcess

  /** @param core to keep the process on, where the system can do that; undefined leaves it to the system */
  constructor(handlers: SenderHandlers, core: number | undefined) {
    const child = fork(SENDER_PROCESS, [], {
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      execArgv: NODE_FLAGS,
    })
    this.#child = child
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(0, STDERR_LENGTH)
    })
    let startError = ''
    child.on('message', (message: FromSender) => handlers.onMessage(message))
    child.on('error', (error) => {
      startError = error.message
      if (child.pid === undefined) handlers.onGone(startError)
    })
    child.on('close', (code, signal) => {
      const detail = stderr.trim() || startError
      handlers.onGone(`${signal ?? `exit code ${code}`}${detail === '' ? '' : `: ${detail}`}`)
    })
    if (core !== undefined && child.pid !== undefined) pin(child.pid, core)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  say(message: ToSender): void {
    // A channel that has just broken is reported by the end of the process.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

/** Where it is not possible the system's scheduler does what it can. */
function pin(pid: number, core: number): void {
  if (process.platform !== 'linux') return
  execFile('taskset', ['-acp', String(core), String(pid)], () => undefined)
}
