/** Finds and reads sweep files: a shipped one by name, or a user's own by path. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, UserError } from '../base/errors.js'
import { parseYamlWith } from '../base/schema.js'
import { SHIPPED_SWEEPS_DIR } from './load-profile.io.js'
import { type SweepConfig, sweepFileSchema } from './sweep-file.js'

/**
 * @param nameOrPath a shipped sweep's name (`smoke`), or the path of a file
 * @throws UserError FILE_UNREADABLE or SWEEP_FIELD
 */
export async function loadSweepFile(nameOrPath: string): Promise<SweepConfig> {
  const isPath = /[/\\]|\.ya?ml$/.test(nameOrPath)
  const file = isPath ? nameOrPath : join(SHIPPED_SWEEPS_DIR, `${nameOrPath}.yaml`)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (thrown) {
    const shipped = (await readdir(SHIPPED_SWEEPS_DIR)).map((name) => name.replace(/\.yaml$/, ''))
    throw new UserError({
      code: 'FILE_UNREADABLE',
      message: `cannot read sweep file ${nameOrPath}: ${isPath ? messageOf(thrown) : 'there is none of that name'}`,
      fix: `give a path, or one of ${shipped.join(', ')}`,
    })
  }
  return parseYamlWith(sweepFileSchema, { file: nameOrPath, text, kind: 'sweep file', code: 'SWEEP_FIELD' })
}
