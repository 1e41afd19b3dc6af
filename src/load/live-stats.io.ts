/**
 * Live figures of a load process, in HDR histograms of whole microseconds: cheap to record, and mergeable across
 * processes without averaging percentiles. For the display only; final figures come from exact values in the traces.
 */
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
  initWebAssembly,
} from 'hdr-histogram-js'

const HIGHEST_US = 60_000_000

export class LiveHistogram {
  readonly #histogram: Histogram
  /** Values above the histogram's top, counted there. */
  saturated = 0

  private constructor(histogram: Histogram) {
    this.#histogram = histogram
  }

  static async create(): Promise<LiveHistogram> {
    await prepareHistograms()
    return new LiveHistogram(buildHistogram())
  }

  /** Values below 0 (a clock read before its cause) count as 0; anything that is no whole number is refused. */
  record(valueUs: number): void {
    if (!Number.isSafeInteger(valueUs)) return
    if (valueUs > HIGHEST_US) this.saturated += 1
    this.#histogram.recordValue(Math.min(HIGHEST_US, Math.max(0, valueUs)))
  }

  /** Compressed base64, the same bytes that every HDR tool reads. */
  encode(): string {
    return encodeIntoCompressedBase64(this.#histogram)
  }

  summary(): { p50: number; p90: number; p99: number; max: number; n: number } | null {
    return summaryOf(this.#histogram)
  }

  reset(): void {
    this.#histogram.reset()
  }

  /** The memory lies outside the collector's reach. */
  destroy(): void {
    this.#histogram.destroy()
  }
}

/** Adds up encoded histograms of several processes; null when none holds a value. */
export function mergedSummary(encoded: readonly string[]): ReturnType<LiveHistogram['summary']> {
  const total = buildHistogram()
  try {
    for (const text of encoded) {
      const part = decodeFromCompressedBase64(text, 32, true)
      total.add(part)
      part.destroy()
    }
    return summaryOf(total)
  } finally {
    total.destroy()
  }
}

let preparation: Promise<void> | undefined

/**
 * Must have run once in a process before histograms are merged there. Once: two preparations at the same time would
 * make two WASM memories, and histograms of the one are garbage to the other.
 */
export function prepareHistograms(): Promise<void> {
  preparation ??= initWebAssembly()
  return preparation
}

function buildHistogram(): Histogram {
  return build({
    useWebAssembly: true,
    bitBucketSize: 32,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: 3,
  })
}

function summaryOf(histogram: Histogram) {
  const n = histogram.totalCount
  if (n === 0) return null
  return {
    p50: histogram.getValueAtPercentile(50),
    p90: histogram.getValueAtPercentile(90),
    p99: histogram.getValueAtPercentile(99),
    max: histogram.maxValue,
    n,
  }
}
