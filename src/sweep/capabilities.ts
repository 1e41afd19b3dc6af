/**
 * What a server says of itself (`GET /v1/realtime/capabilities`) against what the profile takes it for. A profile that does
 * not fit would measure the wrong thing for as long as the sweep lasts, so it is an error before the first session. Pure.
 */
import { UserError } from '../base/errors.js'
import { isObject } from '../capture/trace-record.js'
import type { Profile } from '../profile/profile.js'

/** Interaction that a profile's protocol stands for; undefined where the protocol has no capabilities document. */
const INTERACTION: Partial<Record<Profile['protocol'], string>> = { native: 'native', 'turn-based': 'turn_based' }

/** Whether a protocol's servers have the document at all. */
export function hasCapabilities(profile: Profile): boolean {
  return INTERACTION[profile.protocol] !== undefined
}

/** Sessions that the server says it holds; undefined where it does not say. */
export function sessionLimitOf(document: unknown): number | undefined {
  if (!isObject(document)) return undefined
  const limits = isObject(document.limits) ? document.limits : {}
  for (const limit of [document.max_sessions, limits.max_sessions]) {
    if (typeof limit === 'number' && Number.isInteger(limit) && limit > 0) return limit
  }
  return undefined
}

/**
 * @param levels concurrency levels that are going to be run
 * @throws UserError PROFILE_MISMATCH naming every field that differs, with both values
 */
export function checkCapabilities(profile: Profile, document: unknown, levels: readonly number[]): void {
  if (!isObject(document)) return
  const formatRate = (format: unknown) => (isObject(format) ? format.rate : undefined)
  const compared: [string, unknown, unknown][] = [
    ['interaction', document.interaction, INTERACTION[profile.protocol]],
    ['native_unit_ms', document.native_unit_ms, profile.unit_ms],
    ['input rate', formatRate(document.input_audio_format), profile.input.sample_rate_hz],
    ['output rate', formatRate(document.output_audio_format), profile.output.sample_rate_hz],
  ]
  const differences = compared
    .filter(([, server, own]) => server !== undefined && server !== own)
    .map(
      ([field, server, own]) =>
        `${field} is ${JSON.stringify(server)} at the server and ${JSON.stringify(own)} in the profile`,
    )
  const limit = sessionLimitOf(document)
  const highest = Math.max(...levels)
  if (limit !== undefined && highest > limit) {
    differences.push(`max_sessions is ${limit} at the server and the highest level is ${highest}`)
  }
  if (differences.length === 0) return
  const isOnlyLimit = differences.length === 1 && limit !== undefined && highest > limit
  throw new UserError({
    code: 'PROFILE_MISMATCH',
    message: `profile ${profile.name} does not fit the server: ${differences.join('; ')}`,
    fix: isOnlyLimit
      ? 'raise the limit of the server, lower --concurrency, or pass --max-level auto'
      : 'choose the profile of this server, or correct the one you gave',
  })
}

/**
 * Levels that stay under a limit.
 * @throws UserError USAGE when none does, or the server was to name its limit and does not
 */
export function levelsUpTo(levels: readonly number[], maxLevel: number | 'auto', document: unknown): number[] {
  const limit = maxLevel === 'auto' ? sessionLimitOf(document) : maxLevel
  if (limit === undefined) {
    throw new UserError({
      code: 'USAGE',
      message: '--max-level auto: the server does not say how many sessions it holds',
      fix: 'give a number',
    })
  }
  const kept = levels.filter((level) => level <= limit)
  if (kept.length > 0) return kept
  throw new UserError({
    code: 'USAGE',
    message: `no level is at most ${limit}${maxLevel === 'auto' ? ', which is what the server holds' : ''}: ${levels.join(', ')}`,
    fix: 'lower --concurrency',
  })
}
