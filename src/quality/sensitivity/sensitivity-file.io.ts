/** Writes `sensitivity.json`. */
import { join } from 'node:path'
import { writeFileWhole } from '../../base/atomic-file.io.js'
import { jsonText } from '../../base/json.js'
import { SENSITIVITY_FILE, type SensitivityReport } from './sensitivity.js'

/**
 * @returns the path
 * @throws UserError DISK_FULL or OUTPUT_UNWRITABLE
 */
export async function writeSensitivity(folder: string, report: SensitivityReport): Promise<string> {
  const path = join(folder, SENSITIVITY_FILE)
  await writeFileWhole(path, jsonText(report))
  return path
}
