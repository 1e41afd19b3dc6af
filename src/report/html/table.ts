/** Tables that scroll inside themselves where the screen is narrow, reachable by keyboard. Pure. */
import { type Content, html, type Markup } from './markup.js'

export interface HtmlColumn<Row> {
  readonly title: Content
  /** Figures of one kind, side by side below the title. */
  readonly parts?: readonly string[]
  /** One content for each part; one where there are none. */
  readonly cells: (row: Row) => readonly Content[]
  readonly isText?: boolean
}

export interface TableOptions<Row> {
  readonly caption: string
  readonly columns: readonly HtmlColumn<Row>[]
  readonly rows: readonly Row[]
  readonly rowClass?: (row: Row) => string
}

/** The first column names the row. */
export function table<Row>({ caption, columns, rows, rowClass = () => '' }: TableOptions<Row>): Markup {
  const isGrouped = columns.some(({ parts }) => parts !== undefined)
  const top = columns.map(({ title, parts, isText }) =>
    parts === undefined
      ? html`<th scope="col" rowspan="${isGrouped ? 2 : 1}" class="${alignment(isText)}">${title}</th>`
      : html`<th scope="colgroup" colspan="${parts.length}" class="group">${title}</th>`,
  )
  const parts = columns.flatMap((column) =>
    (column.parts ?? []).map((part) => html`<th scope="col" class="num">${part}</th>`),
  )
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<caption class="hidden">${caption}</caption>
<thead><tr>${top}</tr>${isGrouped ? html`<tr>${parts}</tr>` : null}</thead>
<tbody>
${rows.map((row) => html`<tr class="${rowClass(row)}">${columns.map((column, index) => cellsOf(column, row, index === 0))}</tr>\n`)}</tbody>
</table></div>`
}

function cellsOf<Row>({ cells, isText, parts }: HtmlColumn<Row>, row: Row, isFirst: boolean): Markup[] {
  const contents = cells(row)
  // A row without data has one dash for all parts.
  if (parts !== undefined && contents.length < parts.length) {
    return [html`<td class="num none" colspan="${parts.length}">${contents}</td>`]
  }
  return contents.map((content) =>
    isFirst
      ? html`<th scope="row" class="${alignment(isText)}">${content}</th>`
      : html`<td class="${alignment(isText)}">${content}</td>`,
  )
}

function alignment(isText: boolean | undefined): string {
  return isText === true ? 'text' : 'num'
}
