/** Gates as a pipeline meets them: exit codes, files and annotations of the built command line. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command-line.js'
import { temporaryFolder } from '../helpers/temp-folders.js'

/** A machine that is busy with something else takes its time. */
const TIMEOUT = { timeout: 90_000 }

const vector = (name: string) => fileURLToPath(new URL(`../vectors/serving/${name}`, import.meta.url))

async function resultOf(name: string): Promise<{ file: string; folder: string }> {
  const folder = await temporaryFolder()
  const file = join(folder, 'serving.json')
  await runCommand('report', '--run', vector(name), '--output', file)
  return { file, folder }
}

test('checks are met, missed, open and unmeasured with exit codes of their own', TIMEOUT, async () => {
  const [late, invalid] = await Promise.all([
    resultOf('02-native-late-unit-and-denied'),
    resultOf('08-pacing-violation'),
  ])
  const exitOf = async (file: string, ...checks: string[]) =>
    (await runCommand('gate', file, ...checks.flatMap((check) => ['--gate', check]))).exitCode
  const answers = await Promise.all([
    exitOf(late.file, 'denied@2 <= 1', 'sessions_attempted@all == 2'),
    exitOf(late.file, 'denied@2 <= 1', 'denied@2 == 0', 'denied@4 == 0'),
    exitOf(late.file, 'denied@2 <= 1', 'denied@4 == 0'),
    exitOf(late.file, 'confident(session_failure_rate@2 < 60%)'),
    exitOf(invalid.file, 'denied@2 == 0'),
    exitOf(late.file, 'denid@2 == 0'),
  ])
  expect(answers).toEqual([0, 1, 3, 3, 3, 2])
})

test('the reports of a gate are the same twice, but for the summary, which grows', TIMEOUT, async () => {
  const { file, folder } = await resultOf('02-native-late-unit-and-denied')
  const [junit, summary] = [join(folder, 'ci', 'junit.xml'), join(folder, 'ci', 'summary.md')]
  const gate = () =>
    runCommand(
      ...['gate', file, '--gate', 'denied@2 == 0', '--github-annotations'],
      ...['--junit', junit, '--summary', summary, '--json'],
    )
  const first = await gate()
  const files = [await readFile(junit, 'utf8'), await readFile(summary, 'utf8')] as const
  const second = await gate()
  expect(second).toEqual(first)
  expect(await readFile(junit, 'utf8')).toBe(files[0])
  expect(await readFile(summary, 'utf8')).toBe(files[1] + files[1])
  // Annotations go to standard error, so that JSON stays JSON.
  expect(JSON.parse(first.stdout)).toMatchObject({ verdict: 'fail', checks: [{ verdict: 'missed', bound: 0 }] })
  expect(first.stderr).toMatch(/^::error title=Gate MISSED%3A denied@2 == 0::1 at level 2, not == 0\n::notice /)
  expect(files[0]).toContain('<failure message="1 at level 2, not == 0" type="missed">')
})

test.each([
  { name: 'a metric', gate: 'unit_mis_rate@2 < 1%', says: 'did you mean unit_miss_rate? [USAGE]' },
  {
    name: 'a level',
    gate: 'unit_miss_rate@16 < 1%',
    says: 'level 16 is not in this sweep; it runs 1, 2 [SWEEP_FIELD]',
  },
  { name: 'a metric of other servers', gate: 'rtf.p90@2 < 1', says: 'minicpmo-native has no rtf.p90' },
])('a sweep with a gate on $name that is not there sends nothing', TIMEOUT, async ({ gate, says }) => {
  const output = join(await temporaryFolder(), 'output')
  const refused = await runCommand(
    // Nobody listens there: reaching for the server would be another error.
    ...['sweep', '--url', 'ws://127.0.0.1:9/v1/realtime', '--profile', 'minicpmo-native', '--output', output],
    ...['--concurrency', '1,2', '--gate', gate],
  )
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(says) })
})
