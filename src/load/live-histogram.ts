/**
 * Live figures of a sender, as HDR histograms of whole microseconds with three digits: a value costs one count in a
 * typed array, and histograms of several processes add up without averaging percentiles. For the display and for what a
 * process says of itself; final figures of the sessions come from exact values in the traces.
 */
import { deflateSync } from 'node:zlib'
import { build, decodeFromCompressedBase64, type Histogram } from 'hdr-histogram-js'

/** Values above it are counted here. */
export const HIGHEST_US = 60_000_000
const DIGITS = 3
/** Below this every value has a bucket of its own; above, half as many share each doubling (HdrHistogram's layout). */
const LINEAR_BITS = 11
const HALF = 2 ** (LINEAR_BITS - 1)
const BUCKETS = bucketOf(HIGHEST_US) + 1

export interface Summary {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  readonly n: number
}

export class LiveHistogram {
  readonly #counts = new Uint32Array(BUCKETS)
  #n = 0
  /** Highest bucket in use, so that nothing walks over thousands of empty ones. */
  #top = 0

  /** Values below 0 (a clock read before its cause) count as 0; anything that is no whole number is refused. */
  record(valueUs: number): void {
    if (!Number.isSafeInteger(valueUs)) return
    const bucket = bucketOf(Math.min(HIGHEST_US, Math.max(0, valueUs)))
    if (bucket > this.#top) this.#top = bucket
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#n += 1
  }

  add(other: LiveHistogram): void {
    for (let bucket = 0; bucket <= other.#top; bucket += 1) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + (other.#counts[bucket] ?? 0)
    }
    this.#top = Math.max(this.#top, other.#top)
    this.#n += other.#n
  }

  clear(): void {
    this.#counts.fill(0, 0, this.#top + 1)
    this.#n = 0
    this.#top = 0
  }

  get n(): number {
    return this.#n
  }

  /** Microseconds, each the highest value of its bucket; null while there is no value. */
  summary(): Summary | null {
    if (this.#n === 0) return null
    const [p50 = 0, p90 = 0, p99 = 0, p999 = 0] = this.#percentiles([50, 90, 99, 99.9])
    return { p50, p90, p99, p999, max: highestIn(this.#top), n: this.#n }
  }

  /** @param shares in ascending order, percent */
  #percentiles(shares: readonly number[]): number[] {
    let bucket = -1
    let seen = 0
    return shares.map((share) => {
      const wanted = rankOf(share, this.#n)
      while (seen < wanted) {
        bucket += 1
        seen += this.#counts[bucket] ?? 0
      }
      return highestIn(bucket)
    })
  }

  /**
   * HdrHistogram V2, compressed, in base64: what every HDR tool reads. Written here because the library's own encoder takes
   * several times as long, and a sender encodes while it sends.
   */
  encode(): string {
    const payload = Buffer.allocUnsafe((this.#top + 1) * 5)
    let length = 0
    const put = (zigzag: number) => {
      let rest = zigzag
      for (; rest >= 128; rest = Math.floor(rest / 128)) {
        payload[length] = (rest % 128) + 128
        length += 1
      }
      payload[length] = rest
      length += 1
    }
    let zeros = 0
    const last = this.#n === 0 ? -1 : this.#top
    for (let bucket = 0; bucket <= last; bucket += 1) {
      const count = this.#counts[bucket] ?? 0
      if (count === 0) {
        zeros += 1
        continue
      }
      // A run of empty buckets stands as one negative number.
      if (zeros > 0) put(zeros === 1 ? 0 : zeros * 2 - 1)
      zeros = 0
      put(count * 2)
    }
    const header = Buffer.alloc(40)
    header.writeInt32BE(ENCODING_COOKIE, 0)
    header.writeInt32BE(length, 4)
    header.writeInt32BE(DIGITS, 12)
    header.writeBigInt64BE(1n, 16)
    header.writeBigInt64BE(BigInt(HIGHEST_US), 24)
    header.writeDoubleBE(1, 32)
    const compressed = deflateSync(Buffer.concat([header, payload.subarray(0, length)]), { level: 1 })
    const envelope = Buffer.alloc(8)
    envelope.writeInt32BE(COMPRESSED_COOKIE, 0)
    envelope.writeInt32BE(compressed.length, 4)
    return Buffer.concat([envelope, compressed]).toString('base64')
  }
}

/** A histogram of a whole level that also knows the current second, for one count a value. */
export class WindowedHistogram {
  readonly #earlier = new LiveHistogram()
  readonly #window = new LiveHistogram()

  record(valueUs: number): void {
    this.#window.record(valueUs)
  }

  /** Ends the window: its summary; the next one begins empty. */
  closeWindow(): Summary | null {
    const summary = this.#window.summary()
    this.#earlier.add(this.#window)
    this.#window.clear()
    return summary
  }

  /** Everything so far, the open window included. */
  whole(): LiveHistogram {
    const whole = new LiveHistogram()
    whole.add(this.#earlier)
    whole.add(this.#window)
    return whole
  }

  encode(): string {
    return this.whole().encode()
  }
}

/** Adds up encoded histograms of several processes; null when none holds a value. */
export function mergedSummary(encoded: readonly string[]): Summary | null {
  const total = build({
    bitBucketSize: 32,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: DIGITS,
  })
  for (const text of encoded) total.add(decodeFromCompressedBase64(text, 32, false) as typeof total)
  return summaryOf(total)
}

function summaryOf(histogram: Histogram): Summary | null {
  const n = histogram.totalCount
  if (n === 0) return null
  return {
    p50: histogram.getValueAtPercentile(50),
    p90: histogram.getValueAtPercentile(90),
    p99: histogram.getValueAtPercentile(99),
    p999: histogram.getValueAtPercentile(99.9),
    max: histogram.maxValue,
    n,
  }
}

const ENCODING_COOKIE = 0x1c849313
const COMPRESSED_COOKIE = 0x1c849314

/** How many values lie at or below the percentile, rounded up; not when only binary division puts it above a whole number. */
function rankOf(share: number, n: number): number {
  return Math.max(1, Math.ceil((share / 100) * n * (1 - Number.EPSILON)))
}

/** @param us whole, 0 to `HIGHEST_US` */
function bucketOf(us: number): number {
  const shift = Math.max(0, 32 - LINEAR_BITS - Math.clz32(us))
  return shift * HALF + (us >>> shift)
}

function highestIn(bucket: number): number {
  if (bucket < 2 * HALF) return bucket
  const shift = Math.floor(bucket / HALF) - 1
  return (bucket - shift * HALF + 1) * 2 ** shift - 1
}
