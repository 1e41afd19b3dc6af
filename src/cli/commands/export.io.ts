/** `floorload export`: the observation window of every recorded session, as a tree that scorers read. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import Table from 'cli-table3'
import { Command } from 'commander'
import { EXIT, type ExitCode, UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { type ExportedTree, exportRuns } from '../../quality/tree/export-runs.io.js'
import type { PairManifest } from '../../quality/tree/pair-tree.js'
import { SWEEP_MANIFEST_FILE } from '../../sweep/sweep-manifest.js'
import { interruptSignal } from '../interrupt.io.js'
import { collect } from '../parse.js'
import { note, print } from '../terminal.io.js'

interface ExportFlags {
  readonly run: string[]
  readonly out: string
  readonly datasetRoot?: string
  readonly profile?: string
  readonly json?: boolean
}

export function exportCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('export')
    .description('write the observation window of every recorded session, for scorers')
    .requiredOption('--run <dir>', 'the folder of a level; may be repeated for shards of one selection', collect)
    .requiredOption('--out <dir>', 'folder for the tree; it must be new or empty')
    .option('--dataset-root <dir>', 'the dataset that was sent: annotations, and whether its files are still the same')
    .option('--profile <name|file>', 'judge by this profile instead of the recorded one')
    .option('--json', "print the tree's manifest")
    .action(async (flags: ExportFlags) => {
      const { signal, dispose } = interruptSignal('the tree is not written')
      try {
        for (const directory of flags.run) await refuseSweep(directory)
        const exported = await exportRuns({ runs: flags.run, ...flags, signal })
        if (flags.json === true) print(jsonText(exported.manifest))
        else print(countsTable(exported))
        for (const left of leftOut(exported)) note(left)
        note(`wrote ${exported.manifestFile}`)
        onExit(exported.manifest.samples.some(({ eligible }) => eligible) ? EXIT.ok : EXIT.notMeasured)
      } catch (thrown) {
        if (!signal.aborted) throw thrown
        onExit(EXIT.interrupted)
      } finally {
        dispose()
      }
    })
}

/** The levels of a sweep hold the same samples: which of them is meant has to be said. */
async function refuseSweep(directory: string): Promise<void> {
  const isSweep = await stat(join(directory, SWEEP_MANIFEST_FILE)).then(
    () => true,
    () => false,
  )
  if (!isSweep) return
  const levels = (await readdir(directory)).filter((name) => /^concurrency-\d+(-r\d+)?$/.test(name)).sort()
  throw new UserError({
    code: 'USAGE',
    message: `${directory} is a whole sweep, whose levels hold the same samples (${levels.join(', ') || 'none yet'})`,
    fix: `name one level: --run ${join(directory, levels[0] ?? 'concurrency-1')}`,
  })
}

/** Recordings that are not in the table because another one stands for their sample. */
function* leftOut({ manifest }: ExportedTree): Generator<string> {
  const { superseded, repeats_left_out: repeats } = manifest as Partial<PairManifest>
  if (superseded !== undefined && superseded.length > 0) {
    yield `left out: ${superseded.length} recordings of samples that another run recorded too ("superseded" in the manifest)`
  }
  if (repeats !== undefined && repeats > 0) {
    yield `left out: ${repeats} sessions that sent a sample again in the same run`
  }
}

function countsTable({ manifest }: ExportedTree): string {
  const table = new Table({
    head: ['subset', 'sessions', 'windows', 'without a window'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right', 'right', 'left'],
  })
  const subsets = [...new Set(manifest.samples.map(({ subset }) => subset))]
  for (const subset of subsets) {
    const own = manifest.samples.filter((sample) => sample.subset === subset)
    const counts = new Map<string, number>()
    for (const { reasons } of own) {
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
    const reasons = [...counts.entries()].map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${count}`)
    table.push([subset, own.length, own.filter(({ eligible }) => eligible).length, reasons.join(', ') || '-'])
  }
  return table.toString()
}
