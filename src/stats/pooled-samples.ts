/** Values of two sides sorted once, so that the quantiles of any dealing or drawing of their clusters take one short walk. */
import { assert } from '../base/errors.js'

export interface SidePair {
  readonly old: number
  readonly new: number
}

export class PooledSamples {
  /** Ascending, of all clusters together. */
  readonly #values: Float64Array
  /** Cluster of each value. */
  readonly #owners: Int32Array
  readonly #sizes: Int32Array
  readonly #once: Int32Array

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
    this.#sizes = Int32Array.from(valuesOf, (own) => own.length)
    this.#once = new Int32Array(valuesOf.length).fill(1)
  }

  /** Largest less smallest of all values; 0 without any. */
  get range(): number {
    return (this.#values.at(-1) ?? 0) - (this.#values[0] ?? 0)
  }

  /** Number of values on each side. */
  counts(sides: Uint8Array): SidePair {
    const [old, fresh] = this.#totals(sides, this.#once)
    return { old, new: fresh }
  }

  /**
   * The quantile `q` of both sides by linear interpolation at position `q (n - 1)`; NaN for a side without values.
   * @param weights how often each cluster counts; once where it is left out
   */
  quantiles(q: number, sides: Uint8Array, weights: Int32Array = this.#once): SidePair {
    const totals = this.#totals(sides, weights)
    const isDescending = q > 0.5
    const walks = totals.map((n) => new Walk(n, q, isDescending))
    const [old, fresh] = walks as [Walk, Walk]
    const values = this.#values
    const owners = this.#owners
    const count = values.length
    for (let step = 0; step < count && !(old.isOver && fresh.isOver); step++) {
      const index = isDescending ? count - 1 - step : step
      const owner = owners[index] as number
      const weight = weights[owner] as number
      if (weight > 0) (sides[owner] === 0 ? old : fresh).pass(values[index] as number, weight)
    }
    return { old: old.quantile, new: fresh.quantile }
  }

  /** `quantiles`, new minus old. */
  difference(q: number, sides: Uint8Array, weights?: Int32Array): number {
    const { old, new: fresh } = this.quantiles(q, sides, weights)
    return fresh - old
  }

  #totals(sides: Uint8Array, weights: Int32Array): [number, number] {
    let old = 0
    let fresh = 0
    for (let cluster = 0; cluster < sides.length; cluster++) {
      const values = (this.#sizes[cluster] as number) * (weights[cluster] as number)
      if (sides[cluster] === 0) old += values
      else fresh += values
    }
    return [old, fresh]
  }
}

/** Counts the values of one side until it has met the two order statistics between which the quantile lies. */
class Walk {
  isOver: boolean
  #passed = 0
  #first = Number.NaN
  #second = Number.NaN
  /** Values to pass until the first and until the second of the two. */
  readonly #firstAt: number
  readonly #secondAt: number
  readonly #towardsSecond: number

  constructor(n: number, q: number, isDescending: boolean) {
    const position = q * (n - 1)
    const below = Math.floor(position)
    const above = Math.min(below + 1, n - 1)
    this.isOver = n === 0
    this.#firstAt = isDescending ? n - above : below + 1
    this.#secondAt = isDescending ? n - below : above + 1
    this.#towardsSecond = isDescending ? 1 - (position - below) : position - below
    // One value, or the maximum: both order statistics are the same.
    if (above === below) this.#towardsSecond = 0
  }

  pass(value: number, weight: number): void {
    const before = this.#passed
    this.#passed = before + weight
    if (before < this.#firstAt && this.#passed >= this.#firstAt) this.#first = value
    if (before < this.#secondAt && this.#passed >= this.#secondAt) {
      this.#second = value
      this.isOver = true
    }
  }

  get quantile(): number {
    return this.#first + (this.#second - this.#first) * this.#towardsSecond
  }
}
