import { describe, expect, it } from 'vitest'
import { LiveFigures } from '../../../src/sweep/live/live-figures.js'
import { otlpMetrics, prometheusText } from '../../../src/sweep/live/live-formats.js'
import { parsePrometheusText, seriesText } from '../../../src/sweep/server-metrics/prometheus-text.js'
import { invalidRow, missingRow, rowWith } from '../../helpers/measured-levels.js'

const PROGRESS = {
  open: 3,
  done: 5,
  failed: 1,
  denied: 1,
  total: 12,
  sendLatenessUs: ['late'],
  unitLagUs: ['lag'],
  missedUnits: 2,
  loopDelayMaxMs: 7,
}
const summaries = new Map([['lag', { p50: 250_000, p99: 900_000, n: 40 }]])

function running(): LiveFigures {
  const live = new LiveFigures(([histogram = '']) => summaries.get(histogram) ?? null)
  live.levelBegins({ concurrency: 4, repeat: 1, role: 'level' })
  live.progress(PROGRESS)
  return live
}

async function shown(live: LiveFigures): Promise<Record<string, number>> {
  const { samples } = parsePrometheusText(await prometheusText(live.figures))
  return Object.fromEntries(samples.map((sample) => [seriesText(sample), sample.value]))
}

describe('live figures', () => {
  it('show the level that is being driven', async () => {
    expect(await shown(running())).toEqual({
      'floorload_level_concurrency{role="level"}': 4,
      'floorload_sessions{state="open"}': 3,
      'floorload_sessions{state="done"}': 5,
      'floorload_sessions{state="failed"}': 1,
      'floorload_sessions{state="denied"}': 1,
      floorload_sessions_planned: 12,
      floorload_units_done: 40,
      floorload_units_missed: 2,
      'floorload_unit_lag_seconds{quantile="0.5"}': 0.25,
      'floorload_unit_lag_seconds{quantile="0.99"}': 0.9,
      floorload_event_loop_delay_max_seconds: 0.007,
    })
  })

  it('show finished levels by their results, and nothing live between levels', async () => {
    const live = running()
    live.levelEnds({ concurrency: 4, repeat: 1 }, rowWith({ concurrency: 4 }))
    live.levelEnds({ concurrency: 8, repeat: 1 }, missingRow(8))
    live.levelEnds({ concurrency: 8, repeat: 2 }, invalidRow(8))
    const figures = await shown(live)
    expect(figures['floorload_level_concurrency{role="none"}']).toBe(0)
    expect(Object.keys(figures).filter((name) => name.startsWith('floorload_sessions'))).toEqual([])
    expect(figures['floorload_level_meets_targets{concurrency="4",repeat="1"}']).toBe(1)
    expect(figures['floorload_level_meets_targets{concurrency="8",repeat="1"}']).toBe(0)
    expect(figures['floorload_level_meets_targets{concurrency="8",repeat="2"}']).toBe(-1)
  })

  it('are one gauge for each name in OTLP', () => {
    const body = otlpMetrics(running().figures, { timeUnixNano: '5', toolVersion: '1.2.3' }) as {
      resourceMetrics: [
        { scopeMetrics: [{ metrics: { name: string; unit: string; gauge: { dataPoints: unknown[] } }[] }] },
      ]
    }
    const metrics = body.resourceMetrics[0].scopeMetrics[0].metrics
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length)
    const lag = metrics.find(({ name }) => name === 'floorload.unit.lag.seconds')
    expect(lag).toMatchObject({
      unit: 's',
      gauge: {
        dataPoints: [
          { attributes: [{ key: 'quantile', value: { stringValue: '0.5' } }], timeUnixNano: '5', asDouble: 0.25 },
          { asDouble: 0.9 },
        ],
      },
    })
  })
})
