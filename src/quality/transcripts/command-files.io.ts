/** What a command consists of on the disk: where its program is, and hashes of the files it is given. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../base/errors.js'

/**
 * Where the program is: its own path when it has a slash, else the first of PATH that can be run.
 * @throws UserError USAGE when there is none
 */
export async function programPath(program: string): Promise<string> {
  const isPath = program.includes('/') || isAbsolute(program)
  const folders = isPath ? [''] : (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folder of folders) {
    const candidate = isPath ? resolve(program) : join(folder, program)
    if (await isRunnable(candidate)) return candidate
  }
  throw new UserError({
    code: 'USAGE',
    message: isPath ? `${program} is no program that can be run` : `there is no program ${program} on the PATH`,
    fix: 'give the path of a program, and make it executable (chmod +x)',
  })
}

/**
 * SHA-256 of the program and of every argument that is a file (a script, a model), by the name it was given as: words
 * made by another version of them are other words.
 */
export async function fileHashesOf(
  path: string,
  program: string,
  args: readonly string[],
): Promise<Record<string, string>> {
  const hashes: Record<string, string> = { [program]: await fileSha256(path) }
  for (const argument of args) {
    if (argument.length > 0 && argument.length < 4096 && (await isFile(argument))) {
      hashes[argument] = await fileSha256(argument)
    }
  }
  return hashes
}

/** Of a file of any length. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

async function isRunnable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
