/** What is computed from recordings alone: reports, verdicts and gates, and that they are the same as a sweep's own. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PROTOCOLS } from '../../src/profile/profile.js'
import { runCommand, startServer } from '../helpers/command-line.js'
import { filesBelow } from '../helpers/running-command.js'
import { writeShortClips } from '../helpers/short-clips.js'
import { folderWith, temporaryFolder } from '../helpers/temp-folders.js'

/** A machine that is busy with something else takes its time. */
const TIMEOUT = { timeout: 90_000 }

const VECTORS = fileURLToPath(new URL('../vectors/serving/', import.meta.url))
const vector = (name: string) => join(VECTORS, name)
const expectedOf = async (name: string) => JSON.parse(await readFile(join(vector(name), 'expected.json'), 'utf8'))

test.each([
  ['01-native-two-sessions', 0],
  ['02-native-late-unit-and-denied', 0],
  ['06-turn-based', 0],
  ['07-half-duplex', 0],
  ['08-pacing-violation', 3],
])('report of %s prints its result and exits %i', TIMEOUT, async (name, exitCode) => {
  const [json, table] = await Promise.all([
    runCommand('report', '--run', vector(name), '--json'),
    runCommand('report', '--run', vector(name)),
  ])
  expect(json).toMatchObject({ exitCode, stderr: '' })
  const expected = await expectedOf(name)
  expect(JSON.parse(json.stdout)).toMatchObject({
    schema: expect.stringMatching(/^floorload\.serving\/\d+$/),
    levels: [
      {
        profile: expected.profile,
        concurrency: expected.concurrency,
        valid: expected.valid,
        meets_targets: expected.meets_targets,
        sessions_attempted: expected.sessions_attempted,
        sessions_succeeded: expected.sessions_succeeded,
        denied: expected.denied,
        units_missed: expected.units_missed,
      },
    ],
  })
  // The table says the same, in another form.
  expect(table).toMatchObject({ exitCode, stderr: '', stdout: expect.stringContaining('│ concurrency │') })
})

test.each([
  ['01-native-two-sessions', 0, '2 of 2 sessions pass (minicpmo-native)'],
  ['02-native-late-unit-and-denied', 1, '1 of 2 sessions pass (minicpmo-native)'],
  // Pacing is a matter of the level: the sessions themselves are right.
  ['08-pacing-violation', 0, '2 of 2 sessions pass (minicpmo-native)'],
])('verify of %s exits %i', TIMEOUT, async (name, exitCode, says) => {
  const [text, json] = await Promise.all([
    runCommand('verify', vector(name)),
    runCommand('verify', vector(name), '--json'),
  ])
  expect(text).toMatchObject({ exitCode, stderr: '', stdout: expect.stringContaining(says) })
  const { sessions } = JSON.parse(json.stdout)
  const failed = sessions.filter(({ passed }: { passed: boolean }) => !passed)
  expect(json.exitCode).toBe(exitCode)
  expect(failed).toHaveLength(exitCode)
})

test('verify of a level without sessions has nothing to judge and exits 3', TIMEOUT, async () => {
  const run = await folderWith({ 'manifest.json': { profile: 'minicpmo-native', concurrency: 1 } })
  expect(await runCommand('verify', run)).toMatchObject({ exitCode: 3 })
})

test('the gate passes, fails and abstains with exit codes of their own', TIMEOUT, async () => {
  const folder = await temporaryFolder()
  const resultOf = async (name: string) => {
    const file = join(folder, `${name}.json`)
    const { exitCode } = await runCommand('report', '--run', vector(name), '--output', file)
    expect([0, 3]).toContain(exitCode)
    return file
  }
  const [good, late, invalid] = await Promise.all([
    resultOf('01-native-two-sessions'),
    resultOf('02-native-late-unit-and-denied'),
    resultOf('08-pacing-violation'),
  ])
  const gate = async (file: string, ...flags: string[]) => {
    const { stdout, exitCode } = await runCommand('gate', file, '--min-capacity', ...flags)
    return `${/^Gate: (\w+): .+\n$/.exec(stdout)?.[1]} ${exitCode}`
  }
  const answers = await Promise.all([
    gate(good, '2'),
    gate(good, '2', '--strict'),
    gate(late, '2'),
    gate(late, '2', '--strict'),
    gate(good, '3'),
    gate(good, '2', '--runs', '2'),
    gate(good, '2', '--confident'),
    gate(invalid, '2'),
  ])
  expect(answers).toEqual([
    ...['pass 0', 'pass 0', 'fail 1', 'fail 1'],
    ...['undecided 3', 'undecided 3', 'undecided 3', 'undecided 3'],
  ])
  const json = await runCommand('gate', late, '--min-capacity', '2', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ verdict: 'fail', gate: { min_capacity: 2, rule: 'targets' } })
  expect(json.exitCode).toBe(1)
  const withoutGate = await runCommand('gate', good)
  expect(withoutGate).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/--min-capacity N \[USAGE\]\n$/) })
})

test('the order of the runs changes no byte of a report', TIMEOUT, async () => {
  const folder = await temporaryFolder()
  const runs = [
    ...['01-native-two-sessions', '03-native-reply-with-a-gap', '04-personaplex', '06-turn-based'],
    ...['07-half-duplex', '08-pacing-violation'],
  ].map(vector)
  const report = async (name: string, ordered: readonly string[]) => {
    const output = join(folder, name, 'result.json')
    const flags = ordered.flatMap((run) => ['--run', run])
    const { exitCode, stdout } = await runCommand('report', ...flags, '--output', output)
    return { exitCode, stdout, files: await filesBelow(dirname(output)) }
  }
  const [straight, reversed, turned] = await Promise.all([
    report('straight', runs),
    report('reversed', runs.toReversed()),
    report('turned', [...runs.slice(2), ...runs.slice(0, 2)]),
  ])
  expect(straight.exitCode).toBe(0)
  expect([...straight.files.keys()].sort()).toEqual(['SERVING.md', 'report.html', 'result.json'])
  expect(reversed).toEqual(straight)
  expect(turned).toEqual(straight)
})

test('a report of what a sweep recorded is the sweep’s own result, to the byte', TIMEOUT, async () => {
  const folder = await temporaryFolder()
  const { url } = await startServer('--profile', 'minicpmo-native', '--listen', 'energy')
  const audio = await writeShortClips(join(folder, 'clips'), [1500, 1700])
  const output = join(folder, 'output')
  const swept = await runCommand(
    ...['sweep', '--url', url, '--profile', 'minicpmo-native', '--audio', audio, '--output', output, '--quiet'],
    ...['--concurrency', '1,2', '--sessions', '1x', '--min-capacity', '1', '--reserve-ms', '120'],
    ...['--unit-miss-rate-max', '0.02'],
  )
  const own = await filesBelow(output)
  const levels = ['concurrency-1', 'concurrency-2']
  const bySweep = ['--run', output]
  const byLevels = levels.toReversed().flatMap((level) => ['--run', join(output, level)])
  for (const [name, runs] of Object.entries({ 'by-sweep': bySweep, 'by-levels': byLevels })) {
    const again = join(folder, name)
    const { exitCode, stdout } = await runCommand('report', ...runs, '--output', join(again, 'serving.json'))
    expect(exitCode).toBe(0)
    const files = await filesBelow(again)
    for (const file of ['serving.json', 'SERVING.md', 'report.html'])
      expect(String(files.get(file))).toBe(String(own.get(file)))
    // The sweep adds only where its files are.
    expect(swept.stdout.startsWith(stdout)).toBe(true)
  }
  // The warm-up was recorded apart; to be told so is not to have it counted.
  const withWarmUp = await runCommand('report', ...byLevels, '--run', join(output, 'warmup'), '--json')
  expect(withWarmUp.stderr).toMatch(/^note: \S*warmup is a warm-up and is left out\n$/)
  expect(withWarmUp.stdout).toBe(String(own.get('serving.json')))
  // Without flags the gate is that of the sweep, and it answers alike.
  const gate = await runCommand('gate', join(output, 'serving.json'))
  expect(gate.exitCode).toBe(swept.exitCode)
})

test('profiles lists every protocol, and with --json all of each profile', TIMEOUT, async () => {
  const [table, json] = await Promise.all([runCommand('profiles'), runCommand('profiles', '--json')])
  expect(table).toMatchObject({ exitCode: 0, stderr: '' })
  expect(json).toMatchObject({ exitCode: 0, stderr: '' })
  const profiles: { name: string; aliases: string[]; protocol: string; session: object }[] = JSON.parse(json.stdout)
  expect(new Set(profiles.map(({ protocol }) => protocol))).toEqual(new Set(PROTOCOLS))
  for (const { name, aliases } of profiles) {
    for (const shown of [name, ...aliases]) expect(table.stdout).toContain(shown)
  }
})
