/** The version of this package, for results and `--version`. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE_FILE = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'package.json')

export function toolVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string }).version
}
