/**
 * Workflow commands of GitHub Actions: one line for each check that did not pass, or for each level where there is no gate.
 * Server text never begins a line, and what could end one is escaped, so no recording can issue commands. Pure.
 */
import type { ServingResult } from '../sweep/serving-result.js'
import { CHECK_WORDS } from './gate-lines.js'

type Severity = 'error' | 'warning' | 'notice'

interface Annotation {
  readonly severity: Severity
  readonly title: string
  readonly message: string
}

/** GitHub shows ten of each kind for a step; the rest are counted in the last one. */
const SHOWN_MAX = 10

export function githubAnnotations(result: Pick<ServingResult, 'profiles' | 'levels' | 'gate'>): string[] {
  const { gate } = result
  const all = gate === null ? levelAnnotations(result) : gateAnnotations(gate)
  const verdicts = result.profiles.map(
    ({ profile, verdict }): Annotation => ({
      severity: 'notice',
      title: `floorload ${profile}`,
      message: verdict[0] ?? 'no level was measured',
    }),
  )
  return (['error', 'warning', 'notice'] as const).flatMap((severity) =>
    limited([...all, ...verdicts].filter((annotation) => annotation.severity === severity)).map(commandLine),
  )
}

function gateAnnotations({ checks }: NonNullable<ServingResult['gate']>): Annotation[] {
  return checks
    .filter(({ verdict }) => verdict !== 'met')
    .map(({ verdict, expression, reason }) => ({
      severity: verdict === 'missed' ? 'error' : 'warning',
      title: `Gate ${CHECK_WORDS[verdict]}: ${expression}`,
      message: reason,
    }))
}

/** Without a gate a miss is a finding; a level that was not measured is worth a look. */
function levelAnnotations({ levels }: Pick<ServingResult, 'levels'>): Annotation[] {
  return levels
    .filter(({ valid }) => !valid)
    .map(({ profile, concurrency, run, missed_targets: missed }) => ({
      severity: 'warning',
      title: `${profile}: level ${concurrency} was not measured`,
      message: `${run}: ${missed.join(', ') || 'no session was attempted, or the recording is unfinished'}`,
    }))
}

function limited(annotations: readonly Annotation[]): Annotation[] {
  const [first] = annotations
  if (first === undefined || annotations.length <= SHOWN_MAX) return [...annotations]
  const shown = annotations.slice(0, SHOWN_MAX - 1)
  const rest = annotations.length - shown.length
  return [...shown, { severity: first.severity, title: `and ${rest} more`, message: 'see the log or the summary' }]
}

function commandLine({ severity, title, message }: Annotation): string {
  return `::${severity} title=${escapeProperty(title)}::${escapeData(message)}`
}

/** Source: the workflow commands of GitHub Actions, as their toolkit escapes them. */
function escapeData(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
}
