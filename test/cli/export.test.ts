import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { ExitCode } from '../../src/base/errors.js'
import { exportCommand } from '../../src/cli/commands/export.io.js'
import { temporaryFolder } from '../helpers/temp-folders.js'
import { ANSWERED, PAUSE, type RecordedSample, runFilesOf, TURN, writeRun } from '../quality/tree/recorded-samples.js'

const TURN_7: RecordedSample = { subset: 'candor_turn_taking', id: '7', annotation: TURN, plan: ANSWERED }
const PAUSE_2: RecordedSample = { subset: 'synthetic_pause_handling', id: '2', annotation: PAUSE, plan: ANSWERED }
const LATE: RecordedSample = { ...PAUSE_2, id: '10', plan: { lateUs: { 12: 90_000 } } }

/** @param meanwhile called while the command waits for its first file */
async function run(args: readonly string[], meanwhile?: () => void) {
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text)
      return true
    }),
  )
  let exitCode: ExitCode | undefined
  let error: unknown
  try {
    const command = exportCommand((code) => {
      exitCode = code
    }).exitOverride()
    const ended = command.parseAsync([...args], { from: 'user' })
    meanwhile?.()
    await ended
  } catch (thrown) {
    error = thrown
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return { exitCode, error, ...printed }
}

async function recorded(samples: readonly RecordedSample[]) {
  const root = await temporaryFolder()
  const level = await writeRun(root, 'concurrency-1', runFilesOf(samples))
  return { root, level, out: join(root, 'tree') }
}

describe('export', () => {
  it('writes the tree, and says how many windows there are and why not more', async () => {
    const { level, out } = await recorded([TURN_7, PAUSE_2, LATE])
    const { exitCode, stdout, stderr } = await run(['--run', level, '--out', out])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/synthetic_pause_handling\W+2\W+1\W+pacing 1/)
    expect(stdout).toMatch(/candor_turn_taking\W+1\W+1\W+-/)
    expect(stderr).toContain(`wrote ${join(out, 'manifest.json')}`)
    expect(await readdir(out)).toEqual(['candor_turn_taking', 'manifest.json', 'synthetic_pause_handling'])
  })

  it('prints the manifest as it was written', async () => {
    const { level, out } = await recorded([TURN_7])
    const { stdout } = await run(['--run', level, '--out', out, '--json'])
    expect(stdout.trimEnd()).toBe((await readFile(join(out, 'manifest.json'), 'utf8')).trimEnd())
  })

  it('ends with 3 where no session has a window; the reasons are written all the same', async () => {
    const { level, out } = await recorded([LATE])
    expect(await run(['--run', level, '--out', out])).toMatchObject({ exitCode: 3 })
    expect(await readdir(out)).toEqual(['manifest.json'])
  })

  it('takes several runs as shards', async () => {
    const { root, level, out } = await recorded([TURN_7])
    const other = await writeRun(root, 'other', runFilesOf([PAUSE_2]))
    const { stdout } = await run(['--run', level, '--run', other, '--out', out, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ sources: [{ run: 'concurrency-1' }, { run: 'other' }] })
  })

  it('says what is left out because another recording stands for it', async () => {
    const { root, level, out } = await recorded([TURN_7, { ...TURN_7, id: '7.2', item: '7' }])
    const other = await writeRun(root, 'other', runFilesOf([TURN_7]))
    const { stdout, stderr } = await run(['--run', level, '--run', other, '--out', out])
    expect(stdout).toMatch(/candor_turn_taking\W+1\W+1\W+-/)
    expect(stderr).toContain('left out: 1 recordings of samples that another run recorded too')
    expect(stderr).toContain('left out: 1 sessions that sent a sample again')
  })

  it('refuses a whole sweep and names its levels', async () => {
    const { root, out } = await recorded([TURN_7])
    await mkdir(join(root, 'concurrency-2-r1'))
    await writeFile(join(root, 'sweep.json'), '{}')
    const { error } = await run(['--run', root, '--out', out])
    expect(error).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('concurrency-1, concurrency-2-r1'),
      fix: `name one level: --run ${join(root, 'concurrency-1')}`,
    })
    expect(await readdir(root)).not.toContain('tree')
  })

  it.each<readonly [string, (level: string, out: string) => readonly string[], object]>([
    ['no run', (_, out) => ['--out', out], { code: 'commander.missingMandatoryOptionValue' }],
    ['no place', (level) => ['--run', level], { code: 'commander.missingMandatoryOptionValue' }],
    [
      'an unknown flag',
      (level, out) => ['--run', level, '--out', out, '--into', 'x'],
      { code: 'commander.unknownOption' },
    ],
    ['a run that is not there', (level, out) => ['--run', `${level}0`, '--out', out], { code: 'FILE_UNREADABLE' }],
    ['a file for a run', (level, out) => ['--run', join(level, 'run.json'), '--out', out], { code: 'RUN_UNREADABLE' }],
    ['a place that is taken', (level) => ['--run', level, '--out', level], { code: 'OUTPUT_EXISTS' }],
    [
      'a file for a place',
      (level) => ['--run', level, '--out', join(level, 'run.json')],
      { code: 'OUTPUT_UNWRITABLE' },
    ],
    [
      'a dataset that is not there',
      (level, out) => ['--run', level, '--out', out, '--dataset-root', `${level}/none`],
      { code: 'FILE_UNREADABLE' },
    ],
    [
      'a profile that is unknown',
      (level, out) => ['--run', level, '--out', out, '--profile', 'nobody'],
      { code: 'PROFILE_UNKNOWN' },
    ],
  ])('refuses %s, and writes nothing', async (_, args, refusal) => {
    const { root, level, out } = await recorded([TURN_7])
    const { error, exitCode, stdout } = await run(args(level, out))
    expect(error).toMatchObject(refusal)
    expect({ exitCode, stdout }).toEqual({ exitCode: undefined, stdout: '' })
    expect(await readdir(root)).toEqual(['concurrency-1'])
  })

  it('leaves nothing behind when it is interrupted', async () => {
    const { root, level, out } = await recorded([TURN_7, PAUSE_2])
    const before = process.listeners('SIGINT')
    const { exitCode, error } = await run(['--run', level, '--out', out], () => {
      const [own] = process.listeners('SIGINT').filter((listener) => !before.includes(listener))
      own?.('SIGINT')
    })
    expect({ exitCode, error }).toEqual({ exitCode: 130, error: undefined })
    expect(await readdir(root)).toEqual(['concurrency-1'])
    expect(process.listeners('SIGINT')).toEqual(before)
  })
})
