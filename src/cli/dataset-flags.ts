/** The flags that name a dataset and choose samples from it, laid over what a sweep file says. */
import { type Command, InvalidArgumentError } from 'commander'
import { UserError } from '../base/errors.js'
import { FDB_KINDS, type FdbKind } from '../dataset/fdb-versions.js'
import type { SampleCount } from '../dataset/sample-selection.js'
import type { DatasetInputs } from '../profile/dataset-inputs.js'
import type { SweepConfig } from '../profile/sweep-file.js'
import { parseCount } from './parse.js'

export interface DatasetFlags {
  readonly dataset?: FdbKind
  readonly datasetRoot?: string
  readonly maxPerSubset?: SampleCount
  readonly subset?: readonly SubsetChoice[]
  readonly ids?: readonly string[]
  readonly idsFile?: string
}

export interface SubsetChoice {
  readonly name: string
  /** Undefined for a subset that is named alone. */
  readonly count: SampleCount | undefined
}

const SELECTING = [
  ['maxPerSubset', '--max-per-subset'],
  ['subset', '--subset'],
  ['ids', '--ids'],
  ['idsFile', '--ids-file'],
] as const

/** Names of all of them, for flags that exclude them. */
export const DATASET_OPTIONS = ['dataset', 'datasetRoot', ...SELECTING.map(([name]) => name)]

export function addDatasetFlags(command: Command): Command {
  return command
    .option('--dataset <name>', 'dataset of the folder: fdb-v1.0 or fdb-v1.5', parseDataset)
    .option('--dataset-root <dir>', 'folder of a downloaded dataset, which holds its subsets')
    .option('--max-per-subset <n|all>', 'the first N samples of each subset', parseSampleCount)
    .option(
      '--subset <name[=n]>',
      'N samples of this subset (0: none; all); names without N: only the subsets named; may be repeated',
      (text: string, earlier: SubsetChoice[] | undefined) => [...(earlier ?? []), parseSubset(text)],
    )
    .option(
      '--ids <list>',
      'exactly these samples, SUBSET/ID, separated by commas; may be repeated',
      (text: string, earlier: string[] | undefined) => [...(earlier ?? []), ...text.split(',')],
    )
    .option('--ids-file <file>', 'exactly these samples, one SUBSET/ID on each line')
}

/** `fdb-v1.0`, or `v1.0` for short. */
export function parseDataset(text: string): FdbKind {
  const kind = FDB_KINDS.find((name) => name === text || name === `fdb-${text}`)
  if (kind === undefined) throw new InvalidArgumentError(`it must be one of ${FDB_KINDS.join(', ')}`)
  return kind
}

/** Whether the folder has to be looked at to know which dataset it holds. */
export function mustDetect(base: SweepConfig['inputs'] | undefined, flags: DatasetFlags): boolean {
  return flags.datasetRoot !== undefined && flags.dataset === undefined && datasetOf(base) === undefined
}

/**
 * The inputs of a sweep after these flags; undefined when none of them was given. A selection by flags replaces that of the
 * file; counts of single subsets are added to it.
 * @param found versions whose subsets the folder holds, where `mustDetect`; a folder that does not say counts as v1.5
 * @throws UserError USAGE for flags that contradict each other or lack a dataset
 */
export function inputsWithDatasetFlags(
  base: SweepConfig['inputs'] | undefined,
  flags: DatasetFlags,
  found: readonly FdbKind[],
): Record<string, unknown> | undefined {
  const selecting = SELECTING.filter(([name]) => flags[name] !== undefined).map(([, flag]) => flag)
  if (flags.dataset === undefined && flags.datasetRoot === undefined && selecting.length === 0) return undefined
  const ofFile = datasetOf(base)
  if (flags.dataset === undefined && flags.datasetRoot === undefined && ofFile === undefined) {
    throw new UserError({
      code: 'USAGE',
      message: `${selecting.join(', ')} ${selecting.length === 1 ? 'selects' : 'select'} from a dataset, and there is none`,
      fix: 'pass --dataset-root DIR',
    })
  }
  const isByIds = flags.ids !== undefined || flags.idsFile !== undefined
  if (isByIds && selecting.length > 1) {
    throw new UserError({
      code: 'USAGE',
      message: `${selecting.join(' and ')} do not go together`,
      fix: 'name the samples, or count them',
    })
  }
  const kind = flags.dataset ?? ofFile?.kind ?? (found.length === 1 ? found[0] : undefined) ?? 'fdb-v1.5'
  const { max_per_subset, selection, ...rest } = ofFile?.kind === kind ? ofFile : { kind }
  const root = flags.datasetRoot === undefined ? {} : { root: flags.datasetRoot }
  if (flags.ids !== undefined) return { ...rest, ...root, selection: { ids: flags.ids } }
  if (flags.idsFile !== undefined) return { ...rest, ...root, selection: { ids_file: flags.idsFile } }
  if (selecting.length === 0) return withoutUndefined({ ...rest, ...root, max_per_subset, selection })
  return withoutUndefined({
    ...rest,
    ...root,
    max_per_subset: flags.maxPerSubset ?? max_per_subset,
    selection: countedSelection(selection, flags.subset ?? []),
  })
}

function countedSelection(base: DatasetInputs['selection'], choices: readonly SubsetChoice[]): unknown {
  const { subsets, counts } = base === undefined || base === 'all' ? {} : base
  const merged = {
    subsets: choices.some(({ count }) => count === undefined) ? choices.map(({ name }) => name) : subsets,
    counts: {
      ...counts,
      ...Object.fromEntries(choices.flatMap(({ name, count }) => (count === undefined ? [] : [[name, count]]))),
    },
  }
  const isEmpty = merged.subsets === undefined && Object.keys(merged.counts).length === 0
  return isEmpty ? undefined : withoutUndefined(merged)
}

function datasetOf(inputs: SweepConfig['inputs'] | undefined): DatasetInputs | undefined {
  return inputs?.kind === 'fdb-v1.0' || inputs?.kind === 'fdb-v1.5' ? inputs : undefined
}

function parseSampleCount(text: string): SampleCount {
  return text === 'all' ? 'all' : parseCount(0)(text)
}

function parseSubset(text: string): SubsetChoice {
  const [name = '', count, ...rest] = text.split('=')
  if (name.trim() === '' || rest.length > 0) {
    throw new InvalidArgumentError('it must be NAME or NAME=N, such as candor_turn_taking=20')
  }
  return { name: name.trim(), count: count === undefined ? undefined : parseSampleCount(count) }
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
