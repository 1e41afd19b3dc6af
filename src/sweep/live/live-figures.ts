/**
 * What a running sweep shows the world: the level that is being driven, and what the finished ones gave. Live figures come from
 * the senders' own counters; results come from the traces alone. Pure.
 */
import type { LevelProgress } from '../../load/sender-messages.js'
import type { LevelRow } from '../../metrics/level-row.js'

export interface LiveFigure {
  readonly name: string
  readonly help: string
  /** As OpenTelemetry writes units: `s`, `1`, `{session}`. */
  readonly unit: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Percentiles of a live histogram in microseconds and its values' number; null while it is empty. */
export type Summary = { readonly p50: number; readonly p99: number; readonly n: number } | null

export interface LiveLevel {
  readonly concurrency: number
  readonly repeat: number
  readonly role: 'level' | 'warmup'
}

/** Collects the events of a sweep; `figures` is the state of the moment. */
export class LiveFigures {
  readonly #summaryOf: (histograms: readonly string[]) => Summary
  #level: LiveLevel | undefined
  #progress: LevelProgress | undefined
  readonly #rows = new Map<string, LevelRow>()

  /** @param summaryOf reads the histograms of all senders as one */
  constructor(summaryOf: (histograms: readonly string[]) => Summary) {
    this.#summaryOf = summaryOf
  }

  levelBegins(level: LiveLevel): void {
    this.#level = level
    this.#progress = undefined
  }

  progress(progress: LevelProgress): void {
    this.#progress = progress
  }

  levelEnds({ concurrency, repeat }: Pick<LiveLevel, 'concurrency' | 'repeat'>, row: LevelRow): void {
    this.#rows.set(`${concurrency}/${repeat}`, row)
    this.#level = undefined
    this.#progress = undefined
  }

  get figures(): readonly LiveFigure[] {
    return [...this.#liveFigures(), ...this.#resultFigures()]
  }

  *#liveFigures(): Generator<LiveFigure> {
    const level = this.#level
    const help = 'Sessions asked for at once in the level that is being driven; 0 between levels.'
    const role = { role: level?.role ?? 'none' }
    yield figure('level_concurrency', help, '{session}', level === undefined ? 0 : level.concurrency, role)
    const progress = this.#progress
    if (level === undefined || progress === undefined) return
    const sessions =
      'Sessions of the level that is being driven: open, done; of the done ones failed; of the failed ones denied.'
    yield figure('sessions', sessions, '{session}', progress.open, { state: 'open' })
    yield figure('sessions', sessions, '{session}', progress.done, { state: 'done' })
    yield figure('sessions', sessions, '{session}', progress.failed, { state: 'failed' })
    yield figure('sessions', sessions, '{session}', progress.denied, { state: 'denied' })
    yield figure('sessions_planned', 'Sessions that the level will run.', '{session}', progress.total)
    const lag = this.#summaryOf(progress.unitLagUs)
    yield figure('units_done', 'Units of the level that were answered, as seen live.', '{unit}', lag?.n ?? 0)
    yield figure('units_missed', 'Units of the level that came late, as seen live.', '{unit}', progress.missedUnits)
    yield* quantiles('unit_lag_seconds', 'Live unit lag of the level.', lag)
    yield* quantiles(
      'send_lateness_seconds',
      'Packets behind their due time.',
      this.#summaryOf(progress.sendLatenessUs),
    )
    const stall = 'Worst event-loop delay of a sender since the last report.'
    yield figure('event_loop_delay_max_seconds', stall, 's', progress.loopDelayMaxMs / 1000)
  }

  *#resultFigures(): Generator<LiveFigure> {
    for (const [key, row] of this.#rows) {
      const [concurrency = '', repeat = ''] = key.split('/')
      const labels = { concurrency, repeat }
      const meets = '1 where a finished level meets its targets, 0 where it misses, -1 where it is invalid.'
      yield figure('level_meets_targets', meets, '1', row.valid ? Number(row.meets_targets) : -1, labels)
      const failed = 'Failed sessions of a finished level, denied ones included.'
      yield figure('level_sessions_failed', failed, '{session}', row.sessions_failed, labels)
      if (row.unit_miss_rate !== null) {
        yield figure('level_unit_miss_rate', 'Missed units of a finished level.', '1', row.unit_miss_rate, labels)
      }
      if (row.unit_lag_s !== null) {
        yield figure('level_unit_lag_p95_seconds', 'Unit lag of a finished level.', 's', row.unit_lag_s.p95, labels)
      }
      if (row.rtf !== null) {
        yield figure('level_rtf_p90', 'Real-time factor of the replies of a finished level.', '1', row.rtf.p90, labels)
      }
    }
  }
}

function* quantiles(name: string, help: string, summary: Summary): Generator<LiveFigure> {
  if (summary === null) return
  yield figure(name, help, 's', summary.p50 / 1e6, { quantile: '0.5' })
  yield figure(name, help, 's', summary.p99 / 1e6, { quantile: '0.99' })
}

function figure(
  name: string,
  help: string,
  unit: string,
  value: number,
  labels: Readonly<Record<string, string>> = {},
): LiveFigure {
  return { name: `floorload_${name}`, help, unit, labels, value }
}
