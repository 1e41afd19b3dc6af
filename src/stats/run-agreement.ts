/** Do the runs of each side agree with one another, as far as their clusters can tell? */
import { OVER_DISPERSION_P } from './contingency.js'
import type { SeededRandom } from './random.js'
import type { RateCluster } from './rate-cluster.js'
import type { DesignedCluster } from './two-sample-design.js'

const PERMUTATIONS = 2000

export interface RunAgreement {
  /** Chance of a disagreement at least this large if clusters did not care which run of their side they are in. */
  readonly pValue: number
  readonly isBroken: boolean
}

/**
 * Shuffles the runs of each side among its clusters of one stratum and compares how far the rates of the runs lie from that
 * of their side. Unlike a test over trials it is not misled by clusters that succeed and fail together.
 * @returns undefined where no side has two runs with trials
 * Source: docs/metrics.md, "over-dispersion", with clusters in place of units.
 */
export function runAgreement(
  clusters: readonly (DesignedCluster & RateCluster)[],
  random: SeededRandom,
): RunAgreement | undefined {
  const used = clusters.filter(({ trials }) => trials > 0)
  const runsOf = (side: number) => new Set(used.filter((cluster) => cluster.side === side).map(({ run }) => run)).size
  if (runsOf(0) < 2 && runsOf(1) < 2) return undefined
  const groups = new Map<string, number[]>()
  used.forEach(({ side, stratum }, index) => {
    const key = `${side} ${stratum}`
    groups.set(key, [...(groups.get(key) ?? []), index])
  })
  const runs = used.map(({ run }) => run)
  const observed = spreadOf(used, runs)
  if (observed === 0) return { pValue: 1, isBroken: false }
  let asFar = 1
  for (let done = 0; done < PERMUTATIONS; done++) {
    for (const group of groups.values()) {
      const shuffled = random.shuffle(group.map((index) => runs[index] as number))
      group.forEach((index, place) => {
        runs[index] = shuffled[place] as number
      })
    }
    if (spreadOf(used, runs) >= observed * (1 - 1e-9)) asFar += 1
  }
  const pValue = asFar / (PERMUTATIONS + 1)
  return { pValue, isBroken: pValue < OVER_DISPERSION_P }
}

/** Pearson's statistic of runs by outcome, summed over both sides. */
function spreadOf(clusters: readonly (DesignedCluster & RateCluster)[], runs: readonly number[]): number {
  let spread = 0
  for (const side of [0, 1]) {
    const totals = new Map<number, { trials: number; successes: number }>()
    let trials = 0
    let successes = 0
    clusters.forEach((cluster, index) => {
      if (cluster.side !== side) return
      const run = runs[index] as number
      const total = totals.get(run) ?? { trials: 0, successes: 0 }
      total.trials += cluster.trials
      total.successes += cluster.successes
      totals.set(run, total)
      trials += cluster.trials
      successes += cluster.successes
    })
    const rate = successes / trials
    if (!(rate > 0 && rate < 1)) continue
    for (const run of totals.values())
      spread += (run.successes - run.trials * rate) ** 2 / (run.trials * rate * (1 - rate))
  }
  return spread
}
