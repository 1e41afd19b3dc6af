/** `floorload tables`: per-session, per-unit, per-reply and per-sender tables of recorded runs for notebooks, and HDR logs. */
import { realpath } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import Table from 'cli-table3'
import { Command, InvalidArgumentError } from 'commander'
import { US_PER_S } from '../../base/clock.js'
import { EXIT, type ExitCode, UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { toolVersion } from '../../base/version.io.js'
import { ensureFree, writeFolderWhole } from '../../base/whole-folder.io.js'
import { type SelfMonitoring, senderStalls } from '../../capture/self-monitoring.js'
import { TABLE_FORMATS, TABLES_SCHEMA, type TableFormat, tableFiles } from '../../report/tables/table-files.js'
import { type RunFacts, type TabledRun, tabledRuns } from '../../report/tables/tabled-run.js'
import type { AnalysedRun, EvaluationOverrides } from '../../sweep/analyse-run.io.js'
import { readLevels } from '../../sweep/read-levels.io.js'
import { interruptSignal } from '../interrupt.io.js'
import { collect, parseCount, parseNumber } from '../parse.js'
import { note, print } from '../terminal.io.js'

interface TablesFlags extends EvaluationOverrides {
  readonly run: string[]
  readonly out: string
  readonly format: readonly TableFormat[]
  readonly json?: boolean
}

export function tablesCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('tables')
    .description(
      'write sessions, units, replies and senders of recorded runs as CSV and Parquet, and distributions as HDR logs',
    )
    .requiredOption('--run <dir>', 'a level, or the output folder of a whole sweep; may be repeated', collect)
    .requiredOption('--out <dir>', 'folder for the files; it must be new or empty')
    .option('--format <list>', `any of ${TABLE_FORMATS.join(',')}`, parseFormats, [...TABLE_FORMATS])
    .option('--profile <name|file>', 'judge by this profile instead of the recorded one')
    .option('--concurrency <n>', 'sessions requested at once, where a recording does not say', parseCount(1))
    .option('--reserve-ms <ms>', 'playback reserve for underruns', parseNumber({ minimum: 0, maximum: 60_000 }))
    .option('--json', 'print the list of files with their numbers of rows')
    .action(async (flags: TablesFlags) => {
      const { signal, dispose } = interruptSignal()
      try {
        onExit(await tables(flags, signal))
      } catch (thrown) {
        if (!signal.aborted) throw thrown
        onExit(EXIT.interrupted)
      } finally {
        dispose()
      }
    })
}

async function tables(flags: TablesFlags, signal: AbortSignal): Promise<ExitCode> {
  await ensureFree(flags.out)
  const analysed = await readLevels({ folders: flags.run, overrides: flags, onNote: note, signal })
  const runs = namedApart(await onceEach(analysed))
  const files = tableFiles({ runs, formats: flags.format, toolVersion: toolVersion() })
  signal.throwIfAborted()
  await writeFolderWhole(flags.out, files)
  const list = files.map(({ path, rows }) => ({ path, rows }))
  if (flags.json === true) print(jsonText({ schema: TABLES_SCHEMA, files: list }))
  else print(fileTable(list))
  note(`wrote ${flags.out}`)
  return runs.some(({ sessions }) => sessions.length > 0) ? EXIT.ok : EXIT.notMeasured
}

/** A level that is named twice, by itself and within its sweep, is one. */
async function onceEach(runs: readonly AnalysedRun[]): Promise<RunFacts[]> {
  const byPath = new Map<string, RunFacts>()
  for (const { run, profile, row, sessions } of runs) {
    byPath.set(await realpath(run.directory), {
      name: run.name,
      parentName: basename(dirname(resolve(run.directory))),
      profile,
      concurrency: row.concurrency,
      repeat: run.repeat,
      reserveUs: Math.round(row.reserve_s * US_PER_S),
      sessions,
      samples: new Map(run.sessions.flatMap(({ name, sample }) => (sample === undefined ? [] : [[name, sample]]))),
      stalls: stallDelays(run.monitoring),
      senders: run.monitoring?.senders ?? [],
    })
  }
  return [...byPath.values()]
}

function stallDelays(monitoring: SelfMonitoring | undefined): RunFacts['stalls'] {
  if (monitoring === undefined) return undefined
  const stalls = senderStalls(monitoring).flatMap((sender) => sender.stalls)
  return { delaysUs: stalls.map(({ dueAtUs, ranAtUs }) => ranAtUs - dueAtUs), thresholdMs: monitoring.threshold_ms }
}

function namedApart(runs: readonly RunFacts[]): TabledRun[] {
  const tabled = tabledRuns(runs)
  if (typeof tabled !== 'string') return tabled
  throw new UserError({
    code: 'USAGE',
    message: `two different runs are called ${tabled}, and the tables could not tell them apart`,
    fix: 'rename one of the folders, or export them one after the other',
  })
}

function parseFormats(text: string): TableFormat[] {
  const names = text.split(',').map((part) => part.trim())
  const unknown = names.find((name) => !TABLE_FORMATS.some((format) => format === name))
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`"${unknown}" is no format; there are ${TABLE_FORMATS.join(', ')}`)
  }
  return TABLE_FORMATS.filter((format) => names.includes(format))
}

function fileTable(files: readonly { readonly path: string; readonly rows: number }[]): string {
  const table = new Table({
    head: ['file', 'rows'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right'],
  })
  for (const { path, rows } of files) table.push([path, rows])
  return table.toString()
}
