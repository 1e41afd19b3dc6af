/**
 * Two samples of clusters, the old ones and the new ones, and what could have been seen instead: sides dealt again, as if
 * there were no difference (for a test), or clusters drawn again (for an interval).
 *
 * A stratum holds clusters that differ in nothing but the side and the run, such as the same input sent to both. Sides are
 * dealt again inside it and it is drawn as a whole, so that what its clusters have in common cancels. Where runs of one side
 * differ by more than their clusters explain, runs take the place of clusters: they are dealt and drawn as a whole.
 */
import { assert } from '../base/errors.js'
import type { SeededRandom } from './random.js'

/** 0 is the old side, 1 the new one. */
export type Side = 0 | 1

export interface DesignedCluster {
  readonly side: Side
  /** Number of its stratum; any whole number from 0. */
  readonly stratum: number
  /** Number of its run inside its side, from 0. */
  readonly run: number
}

export type ExchangedUnit = 'clusters' | 'runs'

export interface TwoSampleDesign {
  /** Of each cluster, as it was. */
  readonly sides: Uint8Array
  /** Smallest p-value that any outcome could have, two-sided; above 0.05 where there is too little to show anything. */
  readonly smallestP: number
  /** Deals the sides again: in every stratum, or among the runs, as many of each side as there were. */
  deal(random: SeededRandom, sides: Uint8Array): void
  /** Draws with replacement: how often each cluster was drawn. Old and new clusters of one stratum come together. */
  draw(random: SeededRandom, weights: Int32Array): void
}

/** @param clusters at least one of each side; their order matters only to which seed gives which draw */
export function twoSampleDesign(clusters: readonly DesignedCluster[], exchanged: ExchangedUnit): TwoSampleDesign {
  const sides = Uint8Array.from(clusters, ({ side }) => side)
  assert(sides.includes(0) && sides.includes(1), 'both sides have clusters')
  return exchanged === 'runs' ? designOfRuns(clusters, sides) : designOfStrata(clusters, sides)
}

function designOfStrata(clusters: readonly DesignedCluster[], sides: Uint8Array): TwoSampleDesign {
  const strata = groupsOf(clusters.length, (index) => String(clusters[index]?.stratum))
  const oldCounts = strata.map((members) => members.filter((index) => sides[index] === 0).length)
  return {
    sides,
    smallestP: smallestP(strata.map((members, index) => [members.length, oldCounts[index] ?? 0])),
    deal: (random, into) => {
      for (let index = 0; index < strata.length; index++) {
        dealGroup(strata[index] as Int32Array, oldCounts[index] as number, random, into)
      }
    },
    draw: (random, weights) => {
      weights.fill(0)
      for (let draw = 0; draw < strata.length; draw++) {
        for (const index of strata[random.integer(strata.length)] as Int32Array)
          weights[index] = 1 + (weights[index] ?? 0)
      }
    },
  }
}

function designOfRuns(clusters: readonly DesignedCluster[], sides: Uint8Array): TwoSampleDesign {
  const runs = groupsOf(clusters.length, (index) => `${clusters[index]?.side} ${clusters[index]?.run}`)
  const sideOfRun = Uint8Array.from(runs, ([first]) => sides[first ?? 0] ?? 0)
  const places = Int32Array.from(runs, (_, index) => index)
  const runsOfSide = [0, 1].map((side) => runs.filter((_, index) => sideOfRun[index] === side))
  const oldRuns = runsOfSide[0]?.length ?? 0
  const dealt = new Uint8Array(runs.length)
  return {
    sides,
    smallestP: smallestP([[runs.length, oldRuns]]),
    deal: (random, into) => {
      dealGroup(places, oldRuns, random, dealt)
      for (let run = 0; run < runs.length; run++) {
        for (const index of runs[run] as Int32Array) into[index] = dealt[run] as number
      }
    },
    draw: (random, weights) => {
      weights.fill(0)
      for (const own of runsOfSide) {
        for (let draw = 0; draw < own.length; draw++) {
          const members = own[random.integer(own.length)] as Int32Array
          for (let inside = 0; inside < members.length; inside++) {
            const index = members[random.integer(members.length)] as number
            weights[index] = 1 + (weights[index] ?? 0)
          }
        }
      }
    },
  }
}

function groupsOf(count: number, keyOf: (index: number) => string): Int32Array[] {
  const groups = new Map<string, number[]>()
  for (let index = 0; index < count; index++) {
    const key = keyOf(index)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [index])
    else group.push(index)
  }
  return [...groups.values()].map((group) => Int32Array.from(group))
}

/** `oldCount` of the members, every choice equally likely, become old and the others new. Selection sampling (Knuth). */
function dealGroup(members: Int32Array, oldCount: number, random: SeededRandom, into: Uint8Array): void {
  let wanted = oldCount
  for (let place = 0; place < members.length; place++) {
    const left = members.length - place
    const isOld = wanted > 0 && (wanted === left || random.next() * left < wanted)
    if (isOld) wanted -= 1
    into[members[place] as number] = isOld ? 0 : 1
  }
}

/** Where both sides are of one size, the mirrored outcome is as extreme as the outcome itself. */
function smallestP(groups: readonly (readonly [size: number, oldCount: number])[]): number {
  let arrangements = 1
  for (const [size, chosen] of groups) {
    for (let k = 1; k <= chosen; k++) arrangements *= (size - chosen + k) / k
  }
  const isBalanced = groups.every(([size, chosen]) => 2 * chosen === size)
  return Math.min(1, (isBalanced ? 2 : 1) / arrangements)
}
