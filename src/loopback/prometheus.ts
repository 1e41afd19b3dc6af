/**
 * The server's figures as Prometheus text, under names that no real server uses: they are read when asked for, so serving
 * costs nothing between two scrapes, but for the histogram of batch sizes.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { US_PER_S } from '../base/clock.js'
import type { LoopbackCore, LoopbackStats } from './core.js'

const NOTE = 'Simulated accelerator of the floorload loopback server, not a real one.'
const BATCH_SIZE_BUCKETS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256]

export function loopbackMetrics(core: LoopbackCore): Registry {
  const registry = new Registry()
  const counter = (name: string, help: string, read: (stats: LoopbackStats) => number) =>
    new Counter({
      name: `floorload_loopback_${name}`,
      help: `${help} ${NOTE}`,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(read(core.stats))
      },
    })
  const gauge = (name: string, help: string, read: (stats: LoopbackStats) => number) =>
    new Gauge({
      name: `floorload_loopback_${name}`,
      help: `${help} ${NOTE}`,
      registers: [registry],
      collect() {
        this.set(read(core.stats))
      },
    })

  gauge('sessions_open', 'Sessions open now.', (stats) => stats.sessionsOpen)
  counter('sessions_total', 'Sessions that were given a slot.', (stats) => stats.sessionsTotal)
  counter('sessions_denied_total', 'Upgrades answered with HTTP 503.', (stats) => stats.sessionsDenied)
  counter('admissions_rejected_total', 'Updates answered with admission_rejected.', (stats) => stats.admissionsRejected)
  counter('units_total', 'Units that went into a batch.', (stats) => stats.units)
  counter('batches_total', 'Batches started.', (stats) => stats.batches)
  counter('stalls_total', 'Batches that were stalled on request.', (stats) => stats.stalls)
  counter('out_of_memory_total', 'Batches that were out of memory.', (stats) => stats.outOfMemory)
  counter('busy_seconds_total', 'Time of all batches started.', (stats) => stats.acceleratorBusyUs / US_PER_S)
  gauge('queue_units', 'Units that wait for a batch now.', (stats) => stats.queueLength)
  const batchSize = new Histogram({
    name: 'floorload_loopback_batch_units',
    help: `Units in a batch. ${NOTE}`,
    buckets: BATCH_SIZE_BUCKETS,
    registers: [registry],
  })
  core.accelerator.onBatch = (size) => batchSize.observe(size)
  return registry
}
