/** Writes the scores of a tree: `unified-samples.jsonl`, then `unified.json`. The same scores give the same bytes. */
import { join } from 'node:path'
import { writeFileWhole } from '../../base/atomic-file.io.js'
import { jsonText } from '../../base/json.js'
import type { UnifiedResult, UnifiedRow } from './unified-result.js'

export const UNIFIED_FILE = 'unified.json'
export const UNIFIED_ROWS_FILE = 'unified-samples.jsonl'

/**
 * @param folder made where it does not exist
 * @returns the two paths
 * @throws UserError DISK_FULL or OUTPUT_UNWRITABLE
 */
export async function writeUnified(
  folder: string,
  scored: { readonly result: UnifiedResult; readonly rows: readonly UnifiedRow[] },
): Promise<readonly [result: string, rows: string]> {
  const paths = [join(folder, UNIFIED_FILE), join(folder, UNIFIED_ROWS_FILE)] as const
  await writeFileWhole(paths[1], scored.rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  await writeFileWhole(paths[0], jsonText(scored.result))
  return paths
}
