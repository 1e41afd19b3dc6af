/** Starts the null server in a child process. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./null-server-process.io.js', import.meta.url))

export interface NullServerProcess {
  readonly url: string
  stop(): void
}

/**
 * @param options.replyShare of the units that are answered with audio
 * @throws Error when it does not start
 */
export function startNullServerProcess(options: { readonly replyShare: number }): Promise<NullServerProcess> {
  const child = spawn(process.execPath, [PROGRAM, '--reply-share', String(options.replyShare)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      const { url } = JSON.parse(line) as { url: string }
      resolve({ url, stop: () => child.stdin.end() })
    })
    child.stdin.on('error', () => undefined)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the null server ended with code ${code}`)))
  })
}
