/** The samples that a sweep asks for, as a rule for its dataset; an ids file is read here. */
import { readFile } from 'node:fs/promises'
import { unreadable } from '../dataset/audio-file.io.js'
import { namedSamples, namedSamplesOfFile } from '../dataset/sample-ids.js'
import type { SampleRule } from '../dataset/sample-selection.js'
import type { DatasetInputs } from '../profile/dataset-inputs.js'

/** @throws UserError FILE_UNREADABLE where the ids file cannot be read */
export async function sampleRuleOf(inputs: DatasetInputs): Promise<SampleRule> {
  const { selection, max_per_subset: perSubset = 'all' } = inputs
  if (selection === undefined || selection === 'all') return { kind: 'counts', perSubset, counts: {} }
  if (selection.ids !== undefined) return { kind: 'ids', ...namedSamples(selection.ids) }
  if (selection.ids_file !== undefined) {
    return { kind: 'ids', ...namedSamplesOfFile(await textOf(selection.ids_file), selection.ids_file) }
  }
  const { subsets, counts = {} } = selection
  return { kind: 'counts', perSubset, counts, ...(subsets === undefined ? {} : { subsets }) }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw unreadable(path, cause)
  }
}
