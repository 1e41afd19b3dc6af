/** Every file that is rendered from a result, by name. A report format is one line here. */
import type { ServingResult } from '../sweep/serving-result.js'
import { servingMarkdown } from './serving-markdown.js'

export function renderedFiles(result: ServingResult): Readonly<Record<string, string>> {
  return { 'SERVING.md': servingMarkdown(result) }
}
