/** Runs a sweep with progress, prints its result and decides the exit code: shared by `sweep` and `demo`. */
import { join } from 'node:path'
import { EXIT, type ExitCode } from '../base/errors.js'
import { jsonText } from '../base/json.js'
import { transportFor } from '../load/transport-choice.js'
import { renderedFiles } from '../report/rendered-files.js'
import { terminalReport } from '../report/terminal-report.js'
import type { Calibration } from '../sweep/calibration/calibration.js'
import { knownCalibration } from '../sweep/calibration/calibration-file.io.js'
import { exitCodeOfGate } from '../sweep/gate.js'
import { expectedLevelS } from '../sweep/level-duration.js'
import { type LevelScorer, openLevelScorer } from '../sweep/level-scorer.io.js'
import { runSweep, type SweepEnd, type SweepOptions } from '../sweep/run-sweep.io.js'
import { SWEEP_MANIFEST_FILE } from '../sweep/sweep-manifest.js'
import { type LiveExportFlags, withLiveExports } from './live-export.io.js'
import { type PipelineFlags, writePipelineReports } from './pipeline-reports.io.js'
import { progressEvents } from './progress.io.js'
import { type ServerMetricsFlags, serverScraper } from './server-metrics-flags.js'
import { print, tableStyleFor } from './terminal.io.js'

/** Any machine drives fewer than these. */
const LEVEL_TO_CALIBRATE_FOR = 200

export async function sweepAndReport(
  sweep: Omit<SweepOptions, 'signal' | 'events' | 'render' | 'scorer' | 'scraper'>,
  flags: PipelineFlags &
    LiveExportFlags &
    ServerMetricsFlags & {
      readonly asrKeyEnv?: string
      readonly json?: boolean
      readonly quiet?: boolean
      readonly footer?: readonly string[]
    },
  interrupt: { signal: AbortSignal; dispose: () => void },
): Promise<ExitCode> {
  const { quality } = sweep.config
  const progress = progressEvents({
    isQuiet: flags.quiet === true,
    expectedS: (level) => expectedLevelS(level, sweep),
  })
  const { events, close } = await withLiveExports(progress, flags)
  let scorer: LevelScorer | undefined
  let end: SweepEnd
  try {
    const scraper = serverScraper(flags, (text) => events.note?.(text))
    scorer = quality === undefined ? undefined : await openLevelScorer(quality, { keyVariable: flags.asrKeyEnv })
    const calibration = await calibrationFor(sweep, (text) => events.advice?.(text))
    end = await runSweep({
      ...sweep,
      calibration,
      scorer,
      scraper,
      signal: interrupt.signal,
      events,
      render: renderedFiles,
    })
  } finally {
    progress.stop()
    await close()
    await scorer?.close()
    interrupt.dispose()
  }
  if (flags.json === true) print(jsonText(end.result))
  else {
    print(terminalReport(end.result, tableStyleFor(process.stdout)))
    for (const line of flags.footer ?? []) print(line)
    print(
      `Files: ${[...end.files, join(sweep.output, SWEEP_MANIFEST_FILE)].join(', ')}; traces in ${join(sweep.output, 'concurrency-*')}`,
    )
    if (end.wasInterrupted) print(`Interrupted. Go on with: floorload sweep --resume ${sweep.output}`)
  }
  // Of an interrupted sweep a pipeline gets its exit code alone: half a result must not look like a whole one.
  if (!end.wasInterrupted) await writePipelineReports(end.result, flags)
  return exitCodeOf(end, quality !== undefined)
}

/** What this host is known to drive; a note where that is not known and the load is not small. */
async function calibrationFor(
  { config, server }: Pick<SweepOptions, 'config' | 'server'>,
  say: (text: string) => void,
): Promise<Calibration | null> {
  const transport = transportFor({ choice: config.transport, url: server.url, env: process.env })
  const known = await knownCalibration(transport)
  if (known.kind === 'known') return known.calibration
  if (known.kind === 'unfit') {
    say(`the calibration of this host does not count: ${known.reason}; run floorload calibrate`)
  } else if (Math.max(...config.levels) >= LEVEL_TO_CALIBRATE_FOR) {
    say('what this host can drive is not known: run floorload calibrate once')
  }
  return null
}

function exitCodeOf({ result, runs, wasInterrupted }: SweepEnd, isQualityAsked: boolean): ExitCode {
  if (wasInterrupted) return EXIT.interrupted
  const attempted = runs.flatMap(({ sessions }) => sessions)
  // Nothing ever opened: that says nothing of how the server keeps its deadlines.
  if (attempted.length > 0 && attempted.every(({ openAtUs }) => openAtUs === undefined)) return EXIT.unreachable
  if (result.gate !== null) return exitCodeOfGate(result.gate)
  // Scores that were asked for and that no level has are a measurement that failed.
  if (isQualityAsked && result.levels.every(({ quality }) => quality === null)) return EXIT.notMeasured
  return result.levels.some(({ valid }) => valid) ? EXIT.ok : EXIT.notMeasured
}
