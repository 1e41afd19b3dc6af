/** Runs one level in a fresh load process and listens to what it says. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ERROR_CODES, type ErrorCode, UserError } from '../base/errors.js'
import type { FromLevelProcess, LevelPlan, LevelProgress, SessionEnded, ToLevelProcess } from '../load/level-plan.js'

const LEVEL_PROCESS = fileURLToPath(new URL('../load/level-process.io.js', import.meta.url))
/** After asking the process to leave: sessions have a second each, traces must reach the disk. */
const LEAVE_TIMEOUT_MS = 10_000

export interface LevelProcessOptions {
  readonly plan: LevelPlan
  readonly signal: AbortSignal
  readonly onProgress: (progress: LevelProgress) => void
  readonly onSession: (session: SessionEnded) => void
}

export interface LevelProcessEnd {
  readonly wasInterrupted: boolean
}

/**
 * @throws UserError what the process could not do (disk full); Error when it died, which is a defect of ours or a kill
 */
export function runLevelProcess(options: LevelProcessOptions): Promise<LevelProcessEnd> {
  const child = fork(LEVEL_PROCESS, [], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    execArgv: ['--max-semi-space-size=64'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(0, 4000)
  })
  const say = (message: ToLevelProcess) => {
    if (child.connected) child.send(message)
  }
  let killTimer: NodeJS.Timeout | undefined
  const onAbort = () => {
    say({ kind: 'leave', message: 'interrupted by the user' })
    killTimer ??= setTimeout(() => child.kill('SIGKILL'), LEAVE_TIMEOUT_MS)
  }
  return new Promise<LevelProcessEnd>((resolve, reject) => {
    let end: LevelProcessEnd | undefined
    let failure: Error | undefined
    child.on('message', (message: FromLevelProcess) => {
      switch (message.kind) {
        case 'progress':
          options.onProgress(message.progress)
          break
        case 'session':
          options.onSession(message.session)
          break
        case 'done':
          end = { wasInterrupted: message.wasInterrupted }
          break
        case 'error':
          failure = userError(message.code, message.message, message.fix)
          break
        case 'crash':
          failure = new Error(`the load process failed: ${message.message}`)
          break
        default:
          message.kind satisfies 'ready'
      }
    })
    child.on('error', (error) => {
      failure ??= error
    })
    child.on('close', (code, signal) => {
      if (failure !== undefined) reject(failure)
      else if (end !== undefined) resolve(end)
      else if (options.signal.aborted) resolve({ wasInterrupted: true })
      else reject(new Error(`the load process died (${signal ?? `exit code ${code}`}): ${stderr.trim()}`))
    })
    say({ kind: 'run', plan: options.plan })
    if (options.signal.aborted) onAbort()
    else options.signal.addEventListener('abort', onAbort, { once: true })
  }).finally(() => {
    if (killTimer !== undefined) clearTimeout(killTimer)
    options.signal.removeEventListener('abort', onAbort)
  })
}

function userError(code: string, message: string, fix: string | undefined): Error {
  if (!(code in ERROR_CODES)) return new Error(message)
  return new UserError({ code: code as ErrorCode, message, ...(fix === undefined ? {} : { fix }) })
}
