/** Values of two sides sorted once, so that the quantiles of any dealing or drawing of their clusters are soon found. */
import { assert } from '../base/errors.js'

export interface SidePair {
  readonly old: number
  readonly new: number
}

/** Stretches into which the sorted values are cut; within one they are counted one by one. */
const STRETCHES_MAX = 256
const STRETCH_MIN = 64

export class PooledSamples {
  /** Ascending, of all clusters together. */
  readonly #values: Float64Array
  /** Cluster of each value. */
  readonly #owners: Int32Array
  readonly #clusters: number
  readonly #stretch: number
  /** For each stretch and one past the last, how many values of each cluster lie before it. */
  readonly #before: Int32Array
  readonly #once: Int32Array
  /** Weights of the side that is looked at, 0 for clusters of the other. */
  readonly #own: Int32Array

  /** @param valuesOf the values of each cluster, any order, finite; none is allowed */
  constructor(valuesOf: readonly (readonly number[])[]) {
    const values = Float64Array.from(valuesOf.flat())
    for (const value of values) assert(Number.isFinite(value), `sample is ${value}, not a finite number`)
    const owners = Int32Array.from(valuesOf.flatMap((own, cluster) => own.map(() => cluster)))
    const order = Int32Array.from(values, (_, index) => index).sort(
      (a, b) => (values[a] as number) - (values[b] as number) || a - b,
    )
    this.#values = Float64Array.from(order, (index) => values[index] as number)
    this.#owners = Int32Array.from(order, (index) => owners[index] as number)
    this.#clusters = valuesOf.length
    this.#stretch = Math.max(STRETCH_MIN, Math.ceil(values.length / STRETCHES_MAX))
    this.#before = this.#countsBefore()
    this.#once = new Int32Array(valuesOf.length).fill(1)
    this.#own = new Int32Array(valuesOf.length)
  }

  /** Largest less smallest of all values; 0 without any. */
  get range(): number {
    return (this.#values.at(-1) ?? 0) - (this.#values[0] ?? 0)
  }

  /** Number of values on each side. */
  counts(sides: Uint8Array): SidePair {
    const countOf = (side: number) => {
      this.#lookAt(side, sides, this.#once)
      return this.#countBefore(this.#stretches)
    }
    return { old: countOf(0), new: countOf(1) }
  }

  /**
   * The quantile `q` of both sides by linear interpolation at position `q (n - 1)`; NaN for a side without values.
   * @param weights how often each cluster counts; once where it is left out
   */
  quantiles(q: number, sides: Uint8Array, weights: Int32Array = this.#once): SidePair {
    this.#lookAt(0, sides, weights)
    const old = this.#quantile(q)
    this.#lookAt(1, sides, weights)
    return { old, new: this.#quantile(q) }
  }

  /** `quantiles`, new minus old. */
  difference(q: number, sides: Uint8Array, weights?: Int32Array): number {
    const { old, new: fresh } = this.quantiles(q, sides, weights)
    return fresh - old
  }

  get #stretches(): number {
    return Math.ceil(this.#values.length / this.#stretch)
  }

  #countsBefore(): Int32Array {
    const before = new Int32Array((this.#stretches + 1) * this.#clusters)
    const running = new Int32Array(this.#clusters)
    for (let stretch = 0; stretch < this.#stretches; stretch++) {
      before.set(running, stretch * this.#clusters)
      const end = Math.min(this.#values.length, (stretch + 1) * this.#stretch)
      for (let index = stretch * this.#stretch; index < end; index++) {
        const owner = this.#owners[index] as number
        running[owner] = 1 + (running[owner] as number)
      }
    }
    before.set(running, this.#stretches * this.#clusters)
    return before
  }

  #lookAt(side: number, sides: Uint8Array, weights: Int32Array): void {
    for (let cluster = 0; cluster < this.#clusters; cluster++) {
      this.#own[cluster] = sides[cluster] === side ? (weights[cluster] as number) : 0
    }
  }

  /** How many values of the side lie before a stretch. */
  #countBefore(stretch: number): number {
    const offset = stretch * this.#clusters
    let count = 0
    for (let cluster = 0; cluster < this.#clusters; cluster++) {
      count += (this.#own[cluster] as number) * (this.#before[offset + cluster] as number)
    }
    return count
  }

  #quantile(q: number): number {
    const n = this.#countBefore(this.#stretches)
    if (n === 0) return Number.NaN
    const position = q * (n - 1)
    const below = Math.floor(position)
    const fraction = position - below
    // The last stretch that begins at or below the order statistic.
    let stretch = 0
    let beyond = this.#stretches
    while (beyond - stretch > 1) {
      const middle = (stretch + beyond) >> 1
      if (this.#countBefore(middle) <= below) stretch = middle
      else beyond = middle
    }
    let passed = this.#countBefore(stretch)
    let index = stretch * this.#stretch
    for (; passed <= below; index++) passed += this.#own[this.#owners[index] as number] as number
    const lower = this.#values[index - 1] as number
    if (fraction === 0) return lower
    for (; passed <= below + 1; index++) passed += this.#own[this.#owners[index] as number] as number
    const upper = this.#values[index - 1] as number
    return lower + (upper - lower) * fraction
  }
}
