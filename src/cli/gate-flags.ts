/** The gate that flags and a sweep file (or a recorded gate) add up to: shared by `sweep` and `gate`. Pure. */
import { UserError } from '../base/errors.js'
import { expressionProblem } from '../profile/gate-schema.js'
import type { Gate } from '../profile/sweep-file.js'

export interface GateFlags {
  readonly gate?: readonly string[]
  readonly minCapacity?: number
  readonly strict?: boolean
  readonly runs?: number
  readonly confident?: boolean
}

/**
 * Single fields of the flags replace those of the gate; checks are added, so that none is lost by naming another.
 * @returns unchecked as a whole; undefined where neither asks for anything
 * @throws UserError USAGE for an expression that cannot be read, or a kind of gate without a capacity
 */
export function gateWithFlags(base: Gate | undefined, flags: GateFlags): Record<string, unknown> | undefined {
  for (const text of flags.gate ?? []) {
    const problem = expressionProblem(text)
    if (problem !== undefined) {
      throw new UserError({ code: 'USAGE', message: `--gate ${JSON.stringify(text)}: ${problem}` })
    }
  }
  const minCapacity = flags.minCapacity ?? base?.min_capacity
  const checks = [...(base?.checks ?? []), ...(flags.gate ?? [])]
  if (minCapacity === undefined && (flags.strict === true || flags.confident === true)) {
    throw new UserError({
      code: 'USAGE',
      message: `--${flags.strict === true ? 'strict' : 'confident'} is a kind of gate and needs --min-capacity`,
      ...(flags.strict === true ? {} : { fix: 'for a single figure write confident(…) around its check' }),
    })
  }
  if (minCapacity === undefined && checks.length === 0) return undefined
  return {
    ...(minCapacity === undefined ? {} : { min_capacity: minCapacity }),
    rule: flags.strict === true ? 'strict' : (base?.rule ?? 'targets'),
    runs: flags.runs ?? base?.runs ?? 1,
    confident: flags.confident ?? base?.confident ?? false,
    ...(checks.length === 0 ? {} : { checks: [...new Set(checks)] }),
  }
}
