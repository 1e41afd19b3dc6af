/** The gate of a sweep file: a capacity that has to be there, checks on any figure of any level, or both. */
import { z } from 'zod'
import { type GateExpression, parseGateExpression } from './gate-expression.js'
import { GateSyntaxError } from './gate-tokens.js'

/** An expression in its one written form, checked by the grammar and the names of the metrics. */
const checkSchema = z.string().superRefine((text, context) => {
  const problem = expressionProblem(text)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})

export const gateSchema = z
  .strictObject({
    /** The capacity that has to be there. */
    min_capacity: z.number().int().min(1).optional(),
    /** `targets`: every level up to it meets its targets. `strict`: the campaign gate, confirmed by `runs` runs. */
    rule: z.enum(['targets', 'strict']).default('targets'),
    /** How many runs of each level that the gate speaks of must be there and pass; all recorded ones must. */
    runs: z.number().int().min(1).default(1),
    /** Asks that the level is shown with 95% confidence, not only measured; inconclusive is then exit code 3. */
    confident: z.boolean().default(false),
    /** Gate expressions (docs/formats.md); every one has to be met. */
    checks: z.array(checkSchema).min(1).optional(),
  })
  .refine(({ rule, confident }) => !(rule === 'strict' && confident), {
    path: ['confident'],
    message: 'must not be set with the strict rule, which counts runs instead',
  })
  .refine(
    ({ min_capacity, rule, confident, checks }) =>
      min_capacity !== undefined || (checks !== undefined && rule === 'targets' && !confident),
    { path: ['min_capacity'], message: 'must be set, unless the gate consists of checks alone' },
  )
export type Gate = Readonly<z.infer<typeof gateSchema>>

/** What is wrong with an expression, with its place; undefined for a good one. */
export function expressionProblem(text: string): string | undefined {
  try {
    parseGateExpression(text)
    return undefined
  } catch (thrown) {
    if (thrown instanceof GateSyntaxError) return `column ${thrown.column}: ${thrown.message}`
    throw thrown
  }
}

/** The parsed checks of a gate that has passed its schema. */
export function checksOf(gate: Gate): GateExpression[] {
  return (gate.checks ?? []).map(parseGateExpression)
}
