/** A tree that cannot be scored as it is: which sample, which file, what is wrong. */
import { UserError } from '../../base/errors.js'

/** @param where `SUBSET/ID`, or the path of a file of the whole tree */
export function treeProblem(
  where: string,
  problem: string,
  options: { readonly file?: string; readonly fix?: string } = {},
): UserError {
  const { file, fix = 'export or transcribe the tree again' } = options
  return new UserError({
    code: 'TREE_INVALID',
    message: `${where}: ${file === undefined ? '' : `${file} `}${problem}`,
    fix,
  })
}

/** Why a text is no JSON; NaN and Infinity, which Python writes, have a word of their own. */
export function jsonProblem(text: string): string {
  const constant = /(?<=[[,:]\s*)-?(?:NaN|Infinity)\b/.exec(text)?.[0]
  return constant === undefined ? 'is not valid JSON' : `is not valid JSON (it holds ${constant}, which is no number)`
}
