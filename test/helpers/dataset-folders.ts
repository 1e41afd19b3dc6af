/** Tiny downloads of Full-Duplex-Bench: one second of audio in each recording. */
import { FDB_VERSIONS, type FdbKind } from '../../src/dataset/fdb-versions.js'
import { wav16 } from '../dataset/wav-builder.js'
import { type FileTree, folderWith } from './temp-folders.js'

const SECOND = wav16(Array.from({ length: 16_000 }, (_, index) => (index % 100) - 50))

/** What stands beside a sample's audio, all times within its second. */
export const ANNOTATIONS: Readonly<Record<string, object>> = {
  'pause.json': [{ text: '[PAUSE]', timestamp: [0.25, 0.5] }],
  'turn_taking.json': [{ text: '[TURN-TAKING]', timestamp: [0.75, 0.9] }],
  'interrupt.json': [{ context: 'a', interrupt: 'b', timestamp: [0.25, 0.75] }],
  'metadata.json': { context_text: 'a', current_turn_text: 'b', timestamps: [0.25, 0.75] },
}

/** A whole download with these ids in every subset. */
export async function datasetFolder(kind: FdbKind, ids: readonly (number | string)[]): Promise<string> {
  const files: Record<string, FileTree[string]> = {}
  for (const { name, annotationFile } of FDB_VERSIONS[kind].subsets) {
    for (const id of ids) {
      for (const { file } of FDB_VERSIONS[kind].recordings) files[`${name}/${id}/${file}`] = SECOND
      if (annotationFile !== null) files[`${name}/${id}/${annotationFile}`] = ANNOTATIONS[annotationFile] ?? {}
    }
  }
  return folderWith(files, 'dataset')
}
