/**
 * Which session of a level to look at first: the one with the most missed units, then the one with the highest lag; where
 * nothing is judged by units, the one whose reply came slowest. A session that never opened has nothing to show, so it
 * comes after all others. Pure.
 */
import type { Profile } from '../profile/profile.js'
import type { SessionFacts } from './session-facts.js'
import { countUnits } from './unit-columns.js'

/** @returns undefined for a level without a session */
export function worstSession(sessions: readonly SessionFacts[], profile: Profile): SessionFacts | undefined {
  const unitUs = (profile.unit_ms ?? 0) * 1000
  const ranked = sessions.map((facts) => ({ facts, badness: badnessOf(facts, unitUs) }))
  ranked.sort((a, b) => compareDescending(a.badness, b.badness) || (a.facts.name < b.facts.name ? -1 : 1))
  return ranked[0]?.facts
}

/** The first figure that differs decides. */
function badnessOf(facts: SessionFacts, unitUs: number): readonly number[] {
  const most = (values: readonly (number | undefined)[]) =>
    values.reduce<number>((max, value) => Math.max(max, value ?? max), Number.NEGATIVE_INFINITY)
  return [
    facts.openAtUs === undefined ? 0 : 1,
    facts.unitsExpected === null ? 0 : countUnits(facts, unitUs, undefined).missed,
    most(facts.units.map(({ lagUs }) => lagUs)),
    facts.unitsExpected !== null || facts.hasSucceeded ? 0 : 1,
    most(facts.replies.map(({ realTimeFactor }) => realTimeFactor)),
    most(facts.replies.map(({ bufferNeededUs }) => bufferNeededUs)),
  ]
}

function compareDescending(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, position) => value !== b[position])
  return index < 0 ? 0 : (b[index] ?? 0) > (a[index] ?? 0) ? 1 : -1
}
