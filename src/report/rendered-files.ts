/** Every file that is rendered from a result, by name. A report format is one line here. */
import type { AnalysedRun } from '../sweep/analyse-run.io.js'
import type { ServingResult } from '../sweep/serving-result.js'
import { htmlReport } from './html/html-report.js'
import { pageAssets } from './html/page-assets.io.js'
import { servingMarkdown } from './serving-markdown.js'

/** @param runs those that the result was computed from */
export function renderedFiles(
  result: ServingResult,
  runs: readonly AnalysedRun[],
): Readonly<Record<RenderedFile, string>> {
  return {
    'SERVING.md': servingMarkdown(result),
    'report.html': htmlReport({ result, runs, assets: pageAssets() }),
  }
}

export const RENDERED_FILES = ['SERVING.md', 'report.html'] as const
export type RenderedFile = (typeof RENDERED_FILES)[number]
