/** The preflight of a sweep: looks at the host and says what it found. */
import { UserError } from '../../base/errors.js'
import { readHostFacts } from './host-facts.io.js'
import { type PlannedLoad, type PreflightFinding, preflightFindings } from './preflight-checks.js'

/**
 * @param options.isOverridden errors are warnings: whoever knows better may try
 * @returns the warnings
 * @throws UserError PREFLIGHT with the first error, and how many others there are
 */
export async function preflight(
  load: PlannedLoad,
  options: { readonly isOverridden: boolean },
): Promise<PreflightFinding[]> {
  const findings = preflightFindings(await readHostFacts(), load)
  const [first, ...others] = findings.filter(({ severity }) => severity === 'error')
  if (first === undefined || options.isOverridden)
    return findings.map((finding) => ({ ...finding, severity: 'warning' }))
  const more = others.length === 0 ? '' : ` (and ${others.map(({ message }) => message).join('; ')})`
  throw new UserError({
    code: 'PREFLIGHT',
    message: `${first.message}${more}`,
    fix: `${first.fix}; --no-preflight begins all the same`,
  })
}

/** As a person reads it. */
export function findingText({ message, fix }: PreflightFinding): string {
  return `${message}: ${fix}`
}
