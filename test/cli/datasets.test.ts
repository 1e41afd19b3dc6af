import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { ExitCode } from '../../src/base/errors.js'
import { datasetsCommand } from '../../src/cli/commands/datasets.io.js'
import { datasetFolder } from '../helpers/dataset-folders.js'
import { temporaryFolder } from '../helpers/temp-folders.js'

async function run(...args: string[]) {
  const printed: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  let exitCode: ExitCode | undefined
  let error: unknown
  try {
    await datasetsCommand((code) => {
      exitCode = code
    }).parseAsync(args, { from: 'user' })
  } catch (thrown) {
    error = thrown
  } finally {
    spy.mockRestore()
  }
  return { exitCode, error, text: printed.join('') }
}

describe('datasets', () => {
  it('lists both versions with their sizes', async () => {
    const { exitCode, text } = await run('--json')
    expect(exitCode).toBe(0)
    const { datasets } = JSON.parse(text) as { datasets: { dataset: string; samples: number; subsets: object[] }[] }
    expect(datasets.map(({ dataset, samples, subsets }) => [dataset, samples, subsets.length])).toEqual([
      ['fdb-v1.0', 727, 5],
      ['fdb-v1.5', 499, 4],
    ])
    expect((await run()).text).toContain('candor_turn_taking')
  })

  it('check: what is missing is said and is no error', async () => {
    const root = await datasetFolder('fdb-v1.5', [1, 2])
    await rm(join(root, 'talking_to_other'), { recursive: true })
    const { exitCode, text } = await run('check', root)
    expect(exitCode).toBe(0)
    expect(text).toContain('talking_to_other: missing')
    expect(text).toContain('background_speech: 98 of 100 samples are missing')
  })

  it('check: what is malformed is said, and is an error after the report', async () => {
    const root = await datasetFolder('fdb-v1.0', [1, 2])
    await rm(join(root, 'candor_turn_taking/2/turn_taking.json'))
    const { error, text } = await run('check', root)
    expect(text).toContain('malformed: candor_turn_taking/2: turn_taking.json is missing')
    expect(error).toMatchObject({ code: 'DATASET_INVALID', exitCode: 2 })
    const json = JSON.parse((await run('check', root, '--json')).text)
    expect(json).toMatchObject({
      schema: 'floorload.dataset-check/1',
      is_well_formed: false,
      datasets: [{ problems: [{ sample: 'candor_turn_taking/2', problem: 'turn_taking.json is missing' }] }],
    })
  })

  it.each([
    { name: 'an empty folder', args: [] },
    { name: 'another version', args: ['--dataset', 'v1.5'], kind: 'fdb-v1.0' as const },
  ])('check: $name holds nothing that is known', async ({ args, kind }) => {
    const root = kind === undefined ? await temporaryFolder() : await datasetFolder(kind, [1])
    const { error, text } = await run('check', root, ...args)
    expect(error).toMatchObject({ code: 'DATASET_INVALID', message: expect.stringContaining('holds no subset') })
    expect(text).toBe('')
  })
})
