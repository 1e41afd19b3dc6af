/** Reads a file that concerns the whole tree. */
import { readFile } from 'node:fs/promises'
import { messageOf, UserError } from '../../base/errors.js'

/** @throws UserError FILE_UNREADABLE */
export async function readTreeFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new UserError({
      code: 'FILE_UNREADABLE',
      message: `${path} cannot be read: ${messageOf(cause)}`,
      fix: 'check the path and its permissions',
      cause,
    })
  }
}
