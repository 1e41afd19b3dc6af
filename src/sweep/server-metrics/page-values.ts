/** What is kept of one scraped page. Pure. */
import { CPU_ALL, CPU_BUSY, isCounter, isKnown } from './chosen-series.js'
import { type PrometheusPage, type PrometheusSample, parsePrometheusText, seriesText } from './prometheus-text.js'
import type { Scrape } from './scrape-record.js'

/** Series of one endpoint that are kept: a pattern such as `*` would fill the disk every second. */
export const SERIES_MAX = 400

/**
 * @param isChosen of the samples by name
 * @returns values by series, or an error where the text is no metrics page
 */
export function pageValues(
  text: string,
  isChosen: (sample: Pick<PrometheusSample, 'name'>) => boolean,
): Pick<Scrape, 'values' | 'counters' | 'left_out' | 'error'> {
  const { samples, types, brokenLines }: PrometheusPage = parsePrometheusText(text)
  if (samples.length === 0) return { error: brokenLines === 0 ? 'an empty page' : 'no Prometheus text' }
  const chosen = samples.filter((sample) => isChosen(sample) && Number.isFinite(sample.value))
  const known = chosen.filter(({ name }) => isKnown(name))
  const kept = [...known, ...chosen.filter(({ name }) => !isKnown(name))].slice(0, SERIES_MAX)
  const values = new Map(kept.map((sample) => [seriesText(sample), sample.value]))
  const counters = new Set(kept.filter(({ name }) => isCounter(name, types)).map(seriesText))
  for (const [series, value] of cpuSums(samples)) {
    values.set(series, value)
    counters.add(series)
  }
  const leftOut = chosen.length - kept.length
  return {
    values: Object.fromEntries(values),
    ...(counters.size === 0 ? {} : { counters: [...counters] }),
    ...(leftOut === 0 ? {} : { left_out: leftOut }),
  }
}

/** Seconds over all CPUs, and those in which they were not idle. */
function cpuSums(samples: readonly PrometheusSample[]): [string, number][] {
  const own = samples.filter(({ name, value }) => name === 'node_cpu_seconds_total' && Number.isFinite(value))
  if (own.length === 0) return []
  const sum = (some: readonly PrometheusSample[]) => some.reduce((total, { value }) => total + value, 0)
  const busy = own.filter(({ labels: { mode } }) => mode !== 'idle' && mode !== 'iowait')
  return [
    [CPU_BUSY, sum(busy)],
    [CPU_ALL, sum(own)],
  ]
}
