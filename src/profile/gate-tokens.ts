/** The pieces that a gate expression is made of, each with its place, so that an error can point at it. Pure. */

export interface GateToken {
  readonly kind: 'word' | 'number' | 'symbol' | 'end'
  readonly text: string
  /** Counted from 1. */
  readonly column: number
}

/** What is wrong with an expression, and where. */
export class GateSyntaxError extends Error {
  override readonly name = 'GateSyntaxError'
  readonly column: number

  constructor(column: number, message: string) {
    super(message)
    this.column = column
  }
}

/** Longer than any sensible expression; keeps a pasted file out of error messages. */
const LENGTH_MAX = 300

const PATTERNS: readonly (readonly [GateToken['kind'] | 'blank', RegExp])[] = [
  ['blank', /[ \t]+/y],
  // A name may hold dashes inside, since the subsets of a dataset do.
  ['word', /[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*/y],
  // `1..8` is a range of two numbers, so a point belongs to a number only with a digit after it.
  ['number', /\d+(?:\.\d+)?/y],
  ['symbol', /\.\.|<=|>=|==|[<>@(),.%]/y],
]

/** @throws GateSyntaxError for a character that belongs to nothing */
export function gateTokens(text: string): GateToken[] {
  if (text.length > LENGTH_MAX) {
    throw new GateSyntaxError(1, `${text.length} characters are too many; at most ${LENGTH_MAX} are allowed`)
  }
  const tokens: GateToken[] = []
  let offset = 0
  while (offset < text.length) {
    const found = pieceAt(text, offset)
    if (found === undefined) throw new GateSyntaxError(offset + 1, strangerText(text, offset))
    if (found.kind !== 'blank') tokens.push({ kind: found.kind, text: found.text, column: offset + 1 })
    offset += found.text.length
  }
  tokens.push({ kind: 'end', text: '', column: text.trimEnd().length + 1 })
  return tokens
}

function pieceAt(text: string, offset: number): { kind: GateToken['kind'] | 'blank'; text: string } | undefined {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = offset
    const match = pattern.exec(text)
    if (match !== null) return { kind, text: match[0] }
  }
  return undefined
}

function strangerText(text: string, offset: number): string {
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0)
  if (character === '=') return 'a single = compares nothing; write =='
  if (character === '!') return 'there is no !; use <, <=, >, >= or =='
  if (character === '-') return 'there are no negative values'
  return `${JSON.stringify(character)} is not expected here`
}
