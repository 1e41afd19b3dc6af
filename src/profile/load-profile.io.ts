/** Finds and reads profiles: a shipped one by name or alias, or a user's own file by path. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closest, distance } from 'fastest-levenshtein'
import { messageOf, UserError } from '../base/errors.js'
import { parseYamlWith } from '../base/schema.js'
import { type Profile, profileSchema } from './profile.js'

/** The package's own folder: the same two steps up from `src/profile` and from `dist/profile`. */
const PACKAGE_ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

export const SHIPPED_PROFILES_DIR = join(PACKAGE_ROOT, 'profiles')
export const SHIPPED_SWEEPS_DIR = join(PACKAGE_ROOT, 'sweeps')

/**
 * @param nameOrPath a name or alias of a shipped profile, or a path (anything with a slash or ending in .yaml or .yml)
 * @throws UserError PROFILE_UNKNOWN, PROFILE_FIELD or FILE_UNREADABLE
 */
export async function loadProfile(nameOrPath: string): Promise<Profile> {
  if (isPath(nameOrPath)) return readProfile(nameOrPath)
  const profiles = await shippedProfiles()
  const found = profiles.find(({ name, aliases }) => name === nameOrPath || aliases.includes(nameOrPath))
  if (found !== undefined) return found
  const names = profiles.map(({ name }) => name)
  const near = closest(nameOrPath, names)
  const hint = distance(nameOrPath, near) <= Math.max(2, nameOrPath.length / 2) ? `did you mean ${near}? ` : ''
  throw new UserError({
    code: 'PROFILE_UNKNOWN',
    message: `unknown profile ${JSON.stringify(nameOrPath)}; ${hint}known are ${names.join(', ')}`,
    fix: 'choose one of these, or give the path of your own profile file, such as ./mine.yaml',
  })
}

/** All profiles that come with the package, by name. */
export async function shippedProfiles(): Promise<Profile[]> {
  const files = (await readdir(SHIPPED_PROFILES_DIR)).filter((file) => file.endsWith('.yaml')).sort()
  return Promise.all(files.map((file) => readProfile(join(SHIPPED_PROFILES_DIR, file))))
}

async function readProfile(file: string): Promise<Profile> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (thrown) {
    throw new UserError({ code: 'FILE_UNREADABLE', message: `cannot read profile ${file}: ${messageOf(thrown)}` })
  }
  return parseYamlWith(profileSchema, { file, text, kind: 'profile', code: 'PROFILE_FIELD' })
}

function isPath(text: string): boolean {
  return /[/\\]|\.ya?ml$/.test(text)
}
