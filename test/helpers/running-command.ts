/** A command that is watched while it runs, interrupted or killed; and what there is to see of it from outside. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { CommandResult } from './command-line.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LOOK_AGAIN_MS = 20

export interface RunningCommand {
  readonly pid: number
  readonly hasEnded: () => boolean
  /** Sent to this process alone, not to those that it has started. */
  readonly kill: (signal: NodeJS.Signals) => void
  readonly result: Promise<CommandResult>
}

/** Starts the built command line; it is gone when the running test has ended. */
export function startCommand(...args: readonly string[]): RunningCommand {
  const child: ChildProcess = spawn(process.execPath, ['bin/floorload.js', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  onTestFinished(async () => {
    if (hasEnded()) return
    const end = once(child, 'exit')
    child.kill('SIGKILL')
    await end
  })
  if (child.pid === undefined) throw new Error('the command did not start')
  return {
    pid: child.pid,
    hasEnded,
    kill: (signal) => {
      child.kill(signal)
    },
    result: once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, ...output })),
  }
}

/** Looks until something is so. @throws when it is not after `withinMs` */
export async function eventually(
  what: string,
  withinMs: number,
  isSo: () => Promise<boolean> | boolean,
): Promise<void> {
  const untilMs = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > untilMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await sleep(LOOK_AGAIN_MS)
  }
}

/** Processes that a process has started and that run; what has ended and waits to be reaped does not. */
export async function runningChildrenOf(pid: number): Promise<number[]> {
  return (await runningProcesses()).flatMap((process) => (process.parent === pid ? [process.pid] : []))
}

export async function isRunning(pid: number): Promise<boolean> {
  return (await runningProcesses()).some((process) => process.pid === pid)
}

async function runningProcesses() {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat='])
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, state] = line.trim().split(/\s+/)
    return state === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent) }]
  })
}

/** All files below a folder, by path relative to it; none where it does not exist. */
export async function filesBelow(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const)),
  )
}
