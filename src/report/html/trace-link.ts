/** Links from the report to the traces that lie beside it, in the folders of their levels. Pure. */
import type { RecordedRun } from '../../capture/run-reader.io.js'
import { html, type Markup } from './markup.js'

/** A session's trace below its run's folder. */
export function traceFile({ layout }: Pick<RecordedRun, 'layout'>, session: string): string {
  return `${layout === 'field' ? 'samples' : 'sessions'}/${session}/continuous.jsonl`
}

/** Relative to the report. A name that would lead outside the level's folder is text, no link. */
export function traceLink(run: string, trace: string): Markup {
  const path = `${run}/${trace}`
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return html`<code>${path}</code>`
  return html`<a class="trace" href="./${parts.map(encodeURIComponent).join('/')}"><code>${path}</code></a>`
}
