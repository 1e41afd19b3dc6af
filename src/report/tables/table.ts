/** Tables for notebooks: typed columns in a fixed order, and cells where null means that there is nothing to report. */

export type CellType = 'text' | 'integer' | 'number' | 'boolean'
export type Cell = string | number | boolean | null

export interface Column<Row> {
  /** Stable, with its unit at the end. */
  readonly name: string
  readonly type: CellType
  /** Every row has a value. */
  readonly isRequired?: boolean
  readonly of: (row: Row) => Cell | undefined
}

export interface Table {
  readonly name: string
  readonly columns: readonly Omit<Column<never>, 'of'>[]
  /** One cell for each column. */
  readonly rows: readonly (readonly Cell[])[]
}

/** Takes every column of every row; undefined becomes null. */
export function tableOf<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): Table {
  return {
    name,
    columns: columns.map(({ of: _, ...column }) => column),
    rows: rows.map((row) => columns.map((column) => column.of(row) ?? null)),
  }
}
