/**
 * Words from a program of the user's: run once per window with the path of a WAV file, its standard output read as
 * `output.json` or `{"words": [{"word", "start", "end"}]}`. No shell is involved.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav16 } from '../../dataset/wav.js'
import { WINDOW_RATE_HZ } from '../tree/tree-manifest.js'
import { fileHashesOf, programPath } from './command-files.io.js'
import { commandName, redactArguments } from './recognizer-name.js'
import { shortLine, shortTail, transcriptionError } from './transcription-error.js'
import { parseWordAnswer } from './word-answer.js'
import type { WordSource } from './word-source.js'

export interface CommandSourceOptions {
  readonly program: string
  readonly arguments: readonly string[]
  readonly concurrency?: number | undefined
  /** Of one window. */
  readonly timeoutMs?: number | undefined
}

const DEFAULT_TIMEOUT_MS = 120_000
const STDOUT_BYTES_MAX = 16 * 1024 * 1024
const STDERR_CHARACTERS_KEPT = 4_000
const WAV_PLACEHOLDER = '{wav}'

/**
 * @throws UserError USAGE where there is no such program
 */
export async function commandSource(options: CommandSourceOptions): Promise<WordSource> {
  const { program, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const path = await programPath(program)
  const storable = redactArguments(options.arguments)
  const folder = await mkdtemp(join(tmpdir(), 'floorload-asr-'))
  let windows = 0
  return {
    identity: {
      kind: 'command',
      name: commandName(program, storable),
      details: { program, arguments: storable, files: await fileHashesOf(path, program, options.arguments) },
    },
    concurrency: options.concurrency ?? 1,
    async wordsOf({ sample, pcm }, signal) {
      windows += 1
      const wav = join(folder, `window-${windows}.wav`)
      await writeFile(wav, encodeWav16({ samples: pcm, sampleRateHz: WINDOW_RATE_HZ }))
      try {
        const end = await run({ path, arguments: withWav(options.arguments, wav), timeoutMs, signal })
        signal?.throwIfAborted()
        const tail = shortTail(end.stderr)
        const said = tail === '' ? '' : `; it said: ${tail}`
        if (end.problem !== undefined) {
          throw transcriptionError({ sample, problem: `${program} ${end.problem}${said}`, fix: COMMAND_FIX })
        }
        const answer = parseWordAnswer(end.stdout)
        if (answer.ok) return answer.transcript
        const problem = `the output of ${program} ${shortLine(answer.problem)}${said}`
        throw transcriptionError({ sample, problem, fix: COMMAND_FIX })
      } finally {
        await rm(wav, { force: true })
      }
    },
    async close() {
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const COMMAND_FIX = 'try the command by hand on one output.wav; docs/transcripts.md says what it must print'

/** The path takes the place of `{wav}`, in every argument that holds it, else it comes last. */
function withWav(args: readonly string[], wav: string): string[] {
  const placed = args.map((argument) => argument.replaceAll(WAV_PLACEHOLDER, wav))
  return args.some((argument) => argument.includes(WAV_PLACEHOLDER)) ? placed : [...placed, wav]
}

interface CommandEnd {
  readonly stdout: string
  readonly stderr: string
  /** A phrase that follows the program's name; undefined when it ended well. */
  readonly problem: string | undefined
}

function run(command: {
  readonly path: string
  readonly arguments: readonly string[]
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}): Promise<CommandEnd> {
  const { path, timeoutMs, signal } = command
  return new Promise((resolve) => {
    // A group of its own, so that what the program has started ends with it.
    const child = spawn(path, command.arguments, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const stdout: Buffer[] = []
    let stdoutBytes = 0
    let stderr = ''
    let problem: string | undefined
    const stop = (reason: string) => {
      problem ??= reason
      killGroup(child)
      // Something that left the group may hold the pipes open.
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const timer = setTimeout(() => stop(`gave no answer within ${timeoutMs / 1000} s`), timeoutMs)
    const onAbort = () => stop('was stopped')
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
    child.stdout.on('data', (chunk: Buffer) => {
      stdoutBytes += chunk.length
      if (stdoutBytes > STDOUT_BYTES_MAX) stop(`printed more than ${STDOUT_BYTES_MAX} bytes`)
      else stdout.push(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-STDERR_CHARACTERS_KEPT)
    })
    child.on('error', (error) => {
      problem ??= `cannot be run: ${error.message}`
    })
    child.on('close', (code, signalName) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      if (code !== 0) problem ??= signalName === null ? `ended with exit code ${code}` : `was ended by ${signalName}`
      resolve({ stdout: Buffer.concat(stdout).toString('utf8'), stderr, problem })
    })
  })
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // No groups on this system, or already gone.
    child.kill('SIGKILL')
  }
}
