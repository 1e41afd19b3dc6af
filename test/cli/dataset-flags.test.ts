import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { addDatasetFlags, type DatasetFlags, inputsWithDatasetFlags, mustDetect } from '../../src/cli/dataset-flags.js'
import type { FdbKind } from '../../src/dataset/fdb-versions.js'
import { inputsSchema, type SweepConfig } from '../../src/profile/sweep-file.js'

type Inputs = SweepConfig['inputs']

function flagsOf(line: string): DatasetFlags {
  const command = addDatasetFlags(new Command())
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
  return command.parse(line.split(' ').filter(Boolean), { from: 'user' }).opts()
}

const inputsOf = (line: string, base?: Inputs, found: FdbKind[] = []) =>
  inputsWithDatasetFlags(base, flagsOf(line), found)

const FILE: Inputs = { kind: 'fdb-v1.5', root: 'file', max_per_subset: 16 }

describe('dataset flags', () => {
  it.each([
    { line: '--dataset fdb-v1.0 --dataset-root d', inputs: { kind: 'fdb-v1.0', root: 'd' } },
    { line: '--dataset v1.5 --dataset-root d', inputs: { kind: 'fdb-v1.5', root: 'd' } },
    { line: '--dataset-root d', inputs: { kind: 'fdb-v1.5', root: 'd' } },
    { line: '--dataset-root d', found: ['fdb-v1.0'], inputs: { kind: 'fdb-v1.0', root: 'd' } },
    { line: '--dataset-root d', found: ['fdb-v1.0', 'fdb-v1.5'], inputs: { kind: 'fdb-v1.5', root: 'd' } },
    { line: '--dataset-root d', base: FILE, inputs: { kind: 'fdb-v1.5', root: 'd', max_per_subset: 16 } },
    { line: '--dataset v1.0 --dataset-root d', base: FILE, inputs: { kind: 'fdb-v1.0', root: 'd' } },
    { line: '--max-per-subset 2', base: FILE, inputs: { kind: 'fdb-v1.5', root: 'file', max_per_subset: 2 } },
    { line: '--max-per-subset all', base: FILE, inputs: { kind: 'fdb-v1.5', root: 'file', max_per_subset: 'all' } },
    {
      line: '--subset a=20 --subset b=0',
      base: FILE,
      inputs: { kind: 'fdb-v1.5', root: 'file', max_per_subset: 16, selection: { counts: { a: 20, b: 0 } } },
    },
    {
      line: '--subset a --subset b=all',
      base: FILE,
      inputs: {
        kind: 'fdb-v1.5',
        root: 'file',
        max_per_subset: 16,
        selection: { subsets: ['a', 'b'], counts: { b: 'all' } },
      },
    },
    {
      line: '--ids a/1,b/2 --ids c/3',
      base: FILE,
      inputs: { kind: 'fdb-v1.5', root: 'file', selection: { ids: ['a/1', 'b/2', 'c/3'] } },
    },
    { line: '--ids-file f', base: FILE, inputs: { kind: 'fdb-v1.5', root: 'file', selection: { ids_file: 'f' } } },
    {
      line: '--max-per-subset 1',
      base: { kind: 'fdb-v1.0', root: 'file', selection: { ids: ['a/1'] } } as Inputs,
      inputs: { kind: 'fdb-v1.0', root: 'file', max_per_subset: 1 },
    },
  ])('$line over $base', ({ line, base, found, inputs }) => {
    expect(inputsOf(line, base, found as FdbKind[])).toEqual(inputs)
    expect(inputsSchema.safeParse(inputs).success).toBe(true)
  })

  it('none of them leaves the file as it is', () => {
    expect(inputsOf('', FILE)).toBeUndefined()
  })

  it.each([
    { line: '--max-per-subset 2', message: '--max-per-subset selects from a dataset, and there is none' },
    { line: '--dataset-root d --ids a/1 --ids-file f', message: '--ids and --ids-file do not go together' },
    { line: '--dataset-root d --ids a/1 --subset a=2', message: '--subset and --ids do not go together' },
  ])('$line is refused', ({ line, message }) => {
    expect(() => inputsOf(line)).toThrow(message)
  })

  it.each(['--dataset v2', '--subset =2', '--subset a=b', '--subset a=1=2', '--max-per-subset 1.5'])(
    '%s is no value',
    (line) => {
      expect(() => flagsOf(line)).toThrow(/is invalid/)
    },
  )

  it('the folder is looked at only when nothing else names the dataset', () => {
    expect(mustDetect(undefined, flagsOf('--dataset-root d'))).toBe(true)
    expect(mustDetect(FILE, flagsOf('--dataset-root d'))).toBe(false)
    expect(mustDetect(undefined, flagsOf('--dataset-root d --dataset v1.0'))).toBe(false)
    expect(mustDetect(undefined, flagsOf('--dataset v1.0'))).toBe(false)
  })
})
