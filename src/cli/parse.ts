/** Flag values to typed values; what is wrong is said with the flag's name, the value seen and what is allowed. */
import { InvalidArgumentError } from 'commander'
import { UserError } from '../base/errors.js'

/** `1,2,4,8` */
export function parseLevels(text: string): number[] {
  const levels = text.split(',').map((part) => Number(part.trim()))
  if (text.trim() === '' || levels.some((level) => !Number.isInteger(level) || level < 1)) {
    throw new InvalidArgumentError('levels are whole numbers from 1, such as 1,2,4,8')
  }
  if (new Set(levels).size !== levels.length) throw new InvalidArgumentError('a level is named twice')
  return levels
}

export function parseCount(minimum: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isInteger(value) || value < minimum) {
      throw new InvalidArgumentError(`it must be a whole number from ${minimum}`)
    }
    return value
  }
}

export function parseNumber({ minimum, maximum = Number.MAX_VALUE }: { minimum: number; maximum?: number }) {
  return (text: string): number => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value) || value < minimum || value > maximum) {
      const upper = maximum === Number.MAX_VALUE ? '' : ` to ${maximum}`
      throw new InvalidArgumentError(`it must be a number from ${minimum}${upper}`)
    }
    return value
  }
}

/** `all`, a total, or `Nx` for N sessions for each slot of a level. */
export function parseSessions(text: string): 'all' | { count: number } | { per_slot: number } {
  if (text === 'all') return 'all'
  const match = /^(\d+)(x?)$/.exec(text)
  const value = Number(match?.[1] ?? 0)
  if (match === null || value < 1) {
    throw new InvalidArgumentError(
      'it must be "all", a number of sessions such as 40, or sessions for each slot such as 3x',
    )
  }
  return match[2] === 'x' ? { per_slot: value } : { count: value }
}

/** A number, or `auto`. */
export function parseMaxLevel(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : parseCount(1)(text)
}

/** A JSON object or null. */
export function parseJson(text: string): Record<string, unknown> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('it must be JSON, such as {"type":"server_vad"}')
  }
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    throw new InvalidArgumentError('it must be a JSON object, such as {"type":"server_vad"}')
  }
  return value as Record<string, unknown> | null
}

export function parseJsonObject(text: string): Record<string, unknown> {
  const value = parseJson(text)
  if (value === null) throw new InvalidArgumentError('it must be a JSON object, such as {"instructions":"Be brief."}')
  return value
}

/** Collects a flag that may be given several times. */
export function collect(text: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), text]
}

/**
 * `Name: value` pairs of `--header`.
 * @throws UserError USAGE, without the value, which may be a secret
 */
export function parseHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).trim()
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
      throw new UserError({
        code: 'USAGE',
        message: '--header needs the form "Name: value"',
        fix: 'such as --header "Authorization: Bearer KEY"',
      })
    }
    const value = line.slice(colon + 1).trim()
    checkHeaderValue(name, value)
    headers[name] = value
  }
  return headers
}

/** @throws UserError USAGE for a value that HTTP cannot carry; the value itself, which may be a secret, is not shown */
export function checkHeaderValue(name: string, value: string): void {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return
  throw new UserError({
    code: 'USAGE',
    message: `the value of the header ${name} holds a character that HTTP headers cannot carry`,
    fix: 'check that it was copied whole and without line breaks',
  })
}

/** A number of processes, or `auto`. */
export function parseSenders(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : parseCount(1)(text)
}
