/** `--server-metrics` and `--server-metric`: which endpoints are read, and which of their series are kept. */
import { UserError } from '../base/errors.js'
import { createServerScraper, metricsTargets, type ServerScraper } from '../sweep/server-metrics/scraper.io.js'

export interface ServerMetricsFlags {
  readonly serverMetrics?: string[]
  readonly serverMetric?: string[]
}

/** @throws UserError USAGE, URL_INVALID */
export function checkServerMetrics({ serverMetrics, serverMetric = [] }: ServerMetricsFlags): void {
  metricsTargets(serverMetrics ?? [])
  if (serverMetrics === undefined && serverMetric.length > 0) {
    throw new UserError({
      code: 'USAGE',
      message: `--server-metric ${serverMetric[0]} chooses series of an endpoint, and there is none`,
      fix: 'add --server-metrics URL',
    })
  }
  const odd = serverMetric.find((pattern) => !/^[\w:.*]+$/.test(pattern))
  if (odd !== undefined) {
    throw new UserError({
      code: 'USAGE',
      message: `--server-metric ${odd} is no name of a metric`,
      fix: 'give a name without labels, with * for any characters, such as my_queue_*',
    })
  }
}

/** Undefined where no endpoint is given. */
export function serverScraper(
  { serverMetrics, serverMetric }: ServerMetricsFlags,
  onNote: (text: string) => void,
): ServerScraper | undefined {
  if (serverMetrics === undefined) return undefined
  return createServerScraper({ urls: serverMetrics, patterns: serverMetric ?? [], onNote })
}
