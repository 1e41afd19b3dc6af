import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js'
import { describe, expect, it } from 'vitest'
import { HIGHEST_US, LiveHistogram, mergedSummary, WindowedHistogram } from '../../src/load/live-histogram.js'

const EDGES = [0, 1, 1023, 1024, 2047, 2048, 2049, 4095, 4096, 65_535, 65_536, 1_000_000, HIGHEST_US - 1, HIGHEST_US]

/** Spread over all magnitudes, the same ones every time. */
function values(count: number, seed: number): number[] {
  return Array.from({ length: count }, (_, k) => Math.floor(Math.exp((((k + 1) * seed * 7919) % 10_007) / 600)))
}

function histogramOf(us: readonly number[]): LiveHistogram {
  const histogram = new LiveHistogram()
  for (const value of us) histogram.record(value)
  return histogram
}

function libraryOf(us: readonly number[]) {
  const histogram = build({
    bitBucketSize: 32,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: 3,
  })
  for (const value of us) histogram.recordValue(Math.min(HIGHEST_US, value))
  return histogram
}

describe('a live histogram', () => {
  it.each([
    { name: 'the edges of the buckets', us: EDGES },
    { name: 'one value', us: [7] },
    { name: 'nothing but zeros', us: [0, 0, 0] },
    { name: 'a thousand values', us: values(1000, 3) },
  ])('counts as the library does: $name', ({ us }) => {
    const encoded = histogramOf(us).encode()
    const library = libraryOf(us)
    expect(decodeFromCompressedBase64(encoded).outputPercentileDistribution()).toBe(
      decodeFromCompressedBase64(encodeIntoCompressedBase64(library)).outputPercentileDistribution(),
    )
    expect(histogramOf(us).summary()).toEqual(mergedSummary([encodeIntoCompressedBase64(library)]))
  })

  it.each([
    { us: [-3, 0], summary: { max: 0, n: 2 } },
    { us: [HIGHEST_US * 9], summary: { n: 1 } },
    { us: [0.5, Number.NaN, Number.POSITIVE_INFINITY, 4], summary: { max: 4, n: 1 } },
  ])('takes $us', ({ us, summary }) => {
    expect(histogramOf(us).summary()).toMatchObject(summary)
  })

  it('is null without a value, encoded too', () => {
    expect(new LiveHistogram().summary()).toBeNull()
    expect(mergedSummary([new LiveHistogram().encode()])).toBeNull()
    expect(mergedSummary([])).toBeNull()
  })

  it('is empty when cleared', () => {
    const histogram = histogramOf(values(100, 5))
    histogram.clear()
    histogram.record(3)
    expect(histogram.summary()).toMatchObject({ p50: 3, max: 3, n: 1 })
  })
})

describe('merging', () => {
  it('gives the percentiles of all values together, not a mean of percentiles', () => {
    const parts = [values(900, 3), values(50, 5).map((us) => us * 3), [], EDGES]
    const merged = mergedSummary(parts.map((us) => histogramOf(us).encode()))
    expect(merged).toEqual(histogramOf(parts.flat()).summary())
  })
})

describe('a windowed histogram', () => {
  it('forgets the window and keeps the whole', () => {
    const histogram = new WindowedHistogram()
    for (const us of [10, 20]) histogram.record(us)
    expect(histogram.closeWindow()).toMatchObject({ max: 20, n: 2 })
    expect(histogram.closeWindow()).toBeNull()
    histogram.record(5)
    expect(histogram.whole().summary()).toEqual(histogramOf([10, 20, 5]).summary())
    expect(mergedSummary([histogram.encode()])).toMatchObject({ max: 20, n: 3 })
  })
})
