/**
 * Validation at the border: a YAML or JSON document against its one schema, every problem reported together, each with
 * its line, the value found and what is allowed. An unknown field is refused and the nearest known one named, because a
 * misspelt target must not go unjudged.
 */
import { closest, distance } from 'fastest-levenshtein'
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { type ErrorCode, messageOf, UserError } from './errors.js'

export interface DocumentSource {
  /** File name as the user gave it. */
  readonly file: string
  readonly text: string
  /** What it is, for the message: "profile". */
  readonly kind: string
  readonly code: ErrorCode
}

/**
 * Parses and validates a YAML (or JSON) document.
 * @throws UserError with the source's code, naming file, line, field, what was found and what is allowed
 */
export function parseYamlWith<S extends z.ZodType>(schema: S, source: DocumentSource): z.output<S> {
  const lineCounter = new LineCounter()
  const document = parseDocument(source.text, { lineCounter, prettyErrors: false })
  const lineOf = (offset: number | undefined) => (offset === undefined ? undefined : lineCounter.linePos(offset).line)
  const syntax = document.errors[0]
  if (syntax !== undefined) {
    throw problemsError(source, [`line ${lineOf(syntax.pos[0])}: not valid YAML: ${syntax.message}`])
  }
  let value: unknown
  try {
    value = document.toJS()
  } catch (thrown) {
    // An alias that leads nowhere, or one that unfolds without end.
    throw problemsError(source, [`not valid YAML: ${messageOf(thrown)}`])
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const lineAt = (path: readonly PropertyKey[]) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true)
      const range = (node as { range?: [number, number, number] } | undefined)?.range
      if (range !== undefined) return lineOf(range[0])
    }
    return undefined
  }
  throw problemsError(
    source,
    result.error.issues.flatMap((issue) => {
      const line = lineAt(issue.path)
      const prefix = line === undefined ? '' : `line ${line}: `
      return describeIssue(issue, value, schema).map((text) => prefix + text)
    }),
  )
}

/** Validates a value that is no document (flags, a message from another process); all problems in one text. */
export function describeProblems(schema: z.ZodType, value: unknown): string | undefined {
  const result = schema.safeParse(value)
  if (result.success) return undefined
  return result.error.issues.flatMap((issue) => describeIssue(issue, value, schema)).join('; ')
}

function problemsError(source: DocumentSource, problems: readonly string[]): UserError {
  return new UserError({
    code: source.code,
    message: `${source.kind} ${source.file}: ${problems.join('; ')}`,
  })
}

function describeIssue(issue: z.core.$ZodIssue, root: unknown, schema: z.ZodType): string[] {
  const field = issue.path.map(String).join('.') || 'the document'
  const found = valueAt(root, issue.path)
  const seen = found === undefined ? `${field} is missing` : `${field} is ${preview(found)}`
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = knownKeysAt(schema, issue.path)
      return issue.keys.map((key) => {
        const name = [...issue.path.map(String), key].join('.')
        const near = known.length > 0 ? closest(key, known) : undefined
        const isNear = near !== undefined && distance(key, near) <= Math.max(2, key.length / 2)
        const hint = isNear ? `; did you mean ${near}?` : known.length > 0 ? `; known are ${known.join(', ')}` : ''
        return `${name} is not a known field${hint}`
      })
    }
    case 'invalid_type':
      return [`${seen}; it must be ${article(String(issue.expected))}`]
    case 'invalid_value':
      return [`${seen}; allowed: ${issue.values.map(String).join(', ')}`]
    case 'too_small':
      return [
        `${seen}; it must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${sizeOf(issue.origin)}`,
      ]
    case 'too_big':
      return [
        `${seen}; it must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${sizeOf(issue.origin)}`,
      ]
    case 'invalid_union':
      return [`${seen}; ${unionRule(issue)}`]
    default:
      return [`${seen}; it ${issue.message.startsWith('must') ? issue.message : `is not allowed: ${issue.message}`}`]
  }
}

function unionRule(issue: z.core.$ZodIssueInvalidUnion): string {
  // A message of the schema's own says it best.
  if (issue.message.startsWith('must')) return `it ${issue.message}`
  const { discriminator, options } = issue as { discriminator?: string; options?: readonly unknown[] }
  if (discriminator !== undefined && options !== undefined)
    return `${discriminator} must be one of ${options.join(', ')}`
  const rules = issue.errors.map((errors) => errors.map((error) => error.message).join(', '))
  return `no allowed form fits: ${[...new Set(rules)].join(' / ')}`
}

function sizeOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' || origin === 'set' ? ' items' : ''
}

function article(type: string): string {
  if (type === 'int') return 'a whole number'
  if (type === 'record') return 'an object'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function preview(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** Field names that the schema allows at a path; empty where it is not a plain object. */
function knownKeysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current = unwrapped(schema)
  for (const key of path) {
    if (current instanceof z.ZodObject) current = unwrapped(current.shape[String(key)])
    else if (current instanceof z.ZodArray) current = unwrapped(current.element as z.ZodType)
    else return []
  }
  return current instanceof z.ZodObject ? Object.keys(current.shape) : []
}

function unwrapped(schema: unknown): unknown {
  let current = schema
  while (
    current instanceof z.ZodDefault ||
    current instanceof z.ZodPrefault ||
    current instanceof z.ZodOptional ||
    current instanceof z.ZodNullable
  ) {
    current = current.unwrap()
  }
  return current
}
