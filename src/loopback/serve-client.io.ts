/** Starts the loopback server in a child process. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Profile } from '../profile/profile.js'
import type { LoopbackOptionsInput } from './options.js'
import type { FromServeProcess } from './serve-process.io.js'

const SERVE_PROCESS = fileURLToPath(new URL('./serve-process.io.js', import.meta.url))

export interface ServeProcess {
  readonly url: string
  stop(): void
}

/** Resolves when the server is ready; rejects with what kept it from starting. */
export function startServeProcess(profile: Profile, options: LoopbackOptionsInput): Promise<ServeProcess> {
  const child = fork(SERVE_PROCESS, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  return new Promise((resolve, reject) => {
    child.once('message', (message: FromServeProcess) => {
      if (message.kind === 'ready') resolve({ url: message.url, stop: () => child.kill('SIGKILL') })
      else reject(new Error(`the loopback server did not start: ${message.message}`))
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the loopback server ended with code ${code}`)))
    child.send({ profile, options })
  })
}
