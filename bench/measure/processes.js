/** Programs that are measured or measured against, each in a process of its own. */
import { execFileSync, spawn } from 'node:child_process'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
/** Core of whatever is measured, and of the server that it talks to. */
export const CLIENT_CORE = 0
export const SERVER_CORE = 1
export const canPin = process.platform === 'linux' && cpus().length > 1 && runs(['taskset', '-c', '0', 'true'])

/** A path in this repository. */
export function inRepo(...parts) {
  return join(ROOT, ...parts)
}

/** The command on one processor, where the system can do that. */
export function pinned(core, command) {
  return canPin ? ['taskset', '-c', String(core), ...command] : command
}

export function runs([program, ...args]) {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What a program printed. @throws Error where it failed or took longer */
export function outputOf([program, ...args], { timeoutMs = 180_000, env = process.env } = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  let out = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint = (complaint + text).slice(-2000)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resolve(out)
      else reject(new Error(`${program} ${args[0]} ended with ${signal ?? code}: ${complaint.trim()}`))
    })
  })
}

/** The last line of a program's output, which is JSON. */
export async function resultOf(command, options) {
  return JSON.parse((await outputOf(command, options)).trim().split('\n').at(-1))
}

/** Starts a program that serves until its input ends, and waits for the JSON line that it prints first. */
export function startServing([program, ...args]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const stop = () => {
    child.stdin.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), 2000)
    return ended.then(() => clearTimeout(timer))
  }
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve({ ...JSON.parse(text.slice(0, text.indexOf('\n'))), stop })
    })
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`${program} ended with ${code} before it served`)))
  })
}
