/** The built command line as child processes, for the few tests on real sockets. Needs `npm run build`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface CommandResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end. */
export async function runCommand(...args: readonly string[]): Promise<CommandResult> {
  const child = start(args)
  const output = collect(child)
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, ...output }
}

export interface RunningServer {
  readonly url: string
  /** Asks it to end. @returns its exit code, or undefined when it has not ended in `withinMs` */
  readonly end: (withinMs: number) => Promise<number | null | undefined>
}

/** Starts the loopback server on a free port; it is gone when the running test has ended. */
export async function startServer(...args: readonly string[]): Promise<RunningServer> {
  const child = start(['serve', '--port', '0', ...args])
  const output = collect(child)
  const hasEnded = once(child, 'close')
  for (;;) {
    const url = /ws:\/\/\S+?(?=[,\s])/.exec(output.stdout)?.[0]
    if (url !== undefined) return { url, end: (withinMs) => endWithin(child, hasEnded, withinMs) }
    const what = await Promise.race([
      once(child.stdout ?? child, 'data').then(() => 'data'),
      hasEnded.then(() => 'end'),
    ])
    if (what === 'end') throw new Error(`the server did not start: ${output.stderr}`)
  }
}

function start(args: readonly string[]): ChildProcess {
  if (!existsSync(new URL('../../dist/cli/main.js', import.meta.url))) {
    throw new Error('the package is not built: npm run build')
  }
  const child = spawn(process.execPath, ['bin/floorload.js', ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const hasEnded = once(child, 'close')
    child.kill('SIGKILL')
    await hasEnded
  })
  return child
}

async function endWithin(child: ChildProcess, hasEnded: Promise<unknown[]>, withinMs: number) {
  child.kill('SIGTERM')
  const tooLate = AbortSignal.timeout(withinMs)
  await Promise.race([hasEnded, once(tooLate, 'abort')])
  return child.exitCode === null && child.signalCode === null ? undefined : child.exitCode
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  return output
}
