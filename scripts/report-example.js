/**
 * `npm run report:example`: runs the demo sweep and keeps its result in reports/, as an example of each rendered file. The
 * traces are not kept, so the links of that report.html lead nowhere.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = mkdtempSync(join(tmpdir(), 'floorload-example-'))
const output = join(folder, 'demo')
try {
  const cli = join(root, 'bin', 'floorload.js')
  const { status } = spawnSync(process.execPath, [cli, 'demo', '--output', output], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`the demo ended with ${status}`)
  // An example that did not measure the server is none.
  const { levels } = JSON.parse(readFileSync(join(output, 'serving.json'), 'utf8'))
  if (levels.some(({ valid }) => !valid)) {
    process.stderr.write('a level is invalid, so the examples stay as they are: try again on a quiet machine\n')
    process.exitCode = 3
  } else {
    for (const name of ['serving.json', 'SERVING.md', 'report.html']) {
      copyFileSync(join(output, name), join(root, 'reports', `demo-${name}`))
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
