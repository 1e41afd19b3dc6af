/** All files of an export of tables, in memory: the same runs give the same files. */
import type { FolderFile } from '../../base/whole-folder.io.js'
import { csvText } from './csv-text.js'
import { hdrLog } from './hdr-log.js'
import { parquetFile } from './parquet-file.js'
import { replyTable } from './reply-table.js'
import { senderTable } from './sender-table.js'
import { sessionTable } from './session-table.js'
import type { TabledRun } from './tabled-run.js'
import { unitTable } from './unit-table.js'

export const TABLES_SCHEMA = 'floorload.tables/1'
export const TABLE_FORMATS = ['csv', 'parquet', 'hlog'] as const
export type TableFormat = (typeof TABLE_FORMATS)[number]

export interface TableFile extends FolderFile {
  /** Rows of a table; histograms of a log. */
  readonly rows: number
}

export interface TableFilesOptions {
  readonly runs: readonly TabledRun[]
  readonly formats: readonly TableFormat[]
  readonly toolVersion: string
}

export function tableFiles({ runs, formats, toolVersion }: TableFilesOptions): TableFile[] {
  const tables = [sessionTable(runs), unitTable(runs), replyTable(runs), senderTable(runs)]
  const files: TableFile[] = []
  for (const table of tables) {
    const rows = table.rows.length
    if (formats.includes('csv')) files.push({ path: `${table.name}.csv`, content: csvText(table), rows })
    if (formats.includes('parquet')) {
      const content = parquetFile(table, { schema: TABLES_SCHEMA, toolVersion })
      files.push({ path: `${table.name}.parquet`, content, rows })
    }
  }
  if (formats.includes('hlog')) {
    for (const run of runs) {
      const { text, histograms } = hdrLog(run)
      files.push({ path: `${run.label}.hlog`, content: text, rows: histograms })
    }
  }
  return files
}
