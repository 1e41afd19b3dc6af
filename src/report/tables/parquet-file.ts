/** A table as a Parquet file. What reads it is told in the file's metadata which table of which schema it is. */
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer'
import type { CellType, Table } from './table.js'

export interface ParquetOptions {
  /** Names and versions the format of the tables. */
  readonly schema: string
  readonly toolVersion: string
}

/** The same table gives the same bytes. Counts are 32 bits, times doubles, and null is a null. */
export function parquetFile({ name, columns, rows }: Table, { schema, toolVersion }: ParquetOptions): Uint8Array {
  const columnData = columns.map((column, index) => ({
    name: column.name,
    data: rows.map((row) => row[index] ?? null),
    type: TYPES[column.type],
    nullable: column.isRequired !== true,
  }))
  return new Uint8Array(
    parquetWriteBuffer({
      columnData,
      createdBy: `floorload version ${toolVersion}`,
      kvMetadata: [
        { key: 'floorload.schema', value: schema },
        { key: 'floorload.table', value: name },
      ],
    }),
  )
}

const TYPES = {
  text: 'STRING',
  integer: 'INT32',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
} as const satisfies Record<CellType, ColumnSource['type']>
