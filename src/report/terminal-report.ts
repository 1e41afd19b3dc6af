/** What a person sees at the end of a sweep: the table, then the verdict. */
import type { ServingResult } from '../sweep/serving-result.js'
import { checkLines } from './gate-lines.js'
import { type TableStyle, terminalTable } from './level-table.js'
import { loadGeneratorLines } from './load-generator-lines.js'
import { hasQuality, qualityTable } from './quality-table.js'
import { hasServerMetrics, serverTable } from './server-table.js'

export function terminalReport(result: ServingResult, style: TableStyle): string {
  const { colour } = style
  const bold = (text: string) => (colour ? `\u001b[1m${text}\u001b[22m` : text)
  const isMixed = result.profiles.length > 1
  const lines: string[] = []
  if (result.levels.length > 0) lines.push(terminalTable(result.levels, style), '')
  if (hasQuality(result.levels))
    lines.push('Conversation quality, with 95% intervals', qualityTable(result.levels, style), '')
  if (hasServerMetrics(result.levels)) lines.push(serverTable(result.levels, style), '')
  const ownLines = loadGeneratorLines(result.levels)
  if (ownLines.length > 0) lines.push(...ownLines, '')
  for (const { profile, verdict } of result.profiles) {
    const [first = '', ...rest] = verdict
    lines.push(bold(isMixed ? `${profile}: ${first}` : first), ...rest)
  }
  if (result.levels.length === 0) lines.push('No level was measured.')
  if (result.gate !== null) {
    lines.push(bold(`Gate: ${result.gate.verdict} (${result.gate.reason})`), ...checkLines(result.gate))
  }
  for (const warning of result.warnings) lines.push(`warning: ${warning}`)
  return lines.join('\n')
}
