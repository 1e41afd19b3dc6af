/** `floorload datasets`: the datasets that floorload knows, and what a download of one holds. */
import Table from 'cli-table3'
import { Command } from 'commander'
import { EXIT, type ExitCode, UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { checkFdb, DATASET_CHECK_SCHEMA_NAME, type DatasetCheck } from '../../dataset/dataset-check.io.js'
import { detectFdb } from '../../dataset/fdb-folder.io.js'
import { FDB_KINDS, FDB_SOURCE, FDB_VERSIONS, type FdbKind, type FdbVersion } from '../../dataset/fdb-versions.js'
import { parseDataset } from '../dataset-flags.js'
import { print } from '../terminal.io.js'

const PLAIN = { head: [], border: [], compact: true }
/** Of entries that were ignored. */
const NAMES_SHOWN_MAX = 5

export function datasetsCommand(onExit: (code: ExitCode) => void): Command {
  const check = new Command('check')
    .description('say what a downloaded dataset holds: what is there, what is missing, what is malformed')
    .argument('<dir>', 'the folder that holds the subsets')
    .option('--dataset <version>', 'fdb-v1.0 or fdb-v1.5; otherwise told by the subsets', parseDataset)
    .option('--json', 'print it as JSON')
    .action(async (root: string, _flags: object, command: Command) => {
      // The parent has a --json too, and takes it.
      onExit(await checkFolder(root, command.optsWithGlobals()))
    })
  return (
    new Command('datasets')
      .description('list the datasets that floorload knows, or check a download of one')
      .option('--json', 'print them as JSON')
      // Else this --json would take the one of check.
      .enablePositionalOptions()
      .addCommand(check)
      .action((flags: { json?: boolean }) => {
        if (flags.json === true) print(jsonText({ source: FDB_SOURCE, datasets: FDB_KINDS.map(described) }))
        else printDatasets()
        onExit(EXIT.ok)
      })
  )
}

/** @throws UserError DATASET_INVALID after the report, when something in the folder is malformed or nothing is known */
async function checkFolder(root: string, flags: { dataset?: FdbKind; json?: boolean }): Promise<ExitCode> {
  const kinds = flags.dataset === undefined ? await detectFdb(root) : [flags.dataset]
  const checks: DatasetCheck[] = []
  for (const kind of kinds) checks.push(await checkFdb(root, FDB_VERSIONS[kind]))
  const isAnythingThere = checks.some(({ subsets }) => subsets.some(({ is_there }) => is_there))
  if (!isAnythingThere) {
    const names = (flags.dataset === undefined ? FDB_KINDS : [flags.dataset])
      .map((kind) => `${FDB_VERSIONS[kind].title}: ${FDB_VERSIONS[kind].subsets.map(({ name }) => name).join(', ')}`)
      .join('; ')
    throw new UserError({
      code: 'DATASET_INVALID',
      message: `${root} holds no subset of a dataset that floorload knows (${names})`,
      fix: 'give the folder that directly holds the subsets',
    })
  }
  const problems = checks.reduce((sum, check) => sum + check.problems.length, 0)
  if (flags.json === true) {
    print(jsonText({ schema: DATASET_CHECK_SCHEMA_NAME, root, is_well_formed: problems === 0, datasets: checks }))
  } else {
    for (const check of checks) print(checkText(check))
  }
  if (problems === 0) return EXIT.ok
  throw new UserError({
    code: 'DATASET_INVALID',
    message: `${root}: ${problems} ${problems === 1 ? 'problem' : 'problems'} in what is there`,
    fix: 'unpack these samples again; a sweep that selects one of them sends nothing',
  })
}

function checkText({ dataset, subsets, ignored, problems }: DatasetCheck): string {
  const table = new Table({
    head: [dataset, 'declared', 'there', 'usable', 'malformed', 'ignored'],
    style: PLAIN,
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
  })
  for (const subset of subsets) {
    const { observed, usable } = subset
    const counts = subset.is_there ? [observed, usable, observed - usable, subset.ignored.length] : ['-', '-', '-', '-']
    table.push([subset.subset, subset.declared, ...counts])
  }
  const lines = [table.toString()]
  for (const { subset, is_there: isThere, declared, observed } of subsets) {
    if (!isThere) lines.push(`${subset}: missing`)
    else if (observed < declared) lines.push(`${subset}: ${declared - observed} of ${declared} samples are missing`)
    else if (observed > declared) lines.push(`${subset}: ${observed - declared} samples more than were published`)
  }
  if (ignored.length > 0) lines.push(`ignored: ${shortList(ignored)}`)
  for (const { subset, ignored: own } of subsets) {
    if (own.length > 0) lines.push(`ignored in ${subset}: ${shortList(own)}`)
  }
  for (const { sample, problem } of problems) lines.push(`malformed: ${sample}: ${problem}`)
  return lines.join('\n')
}

function shortList(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN_MAX
  return `${names.slice(0, NAMES_SHOWN_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function printDatasets(): void {
  const table = new Table({ head: ['dataset', 'subset', 'samples', 'sessions', 'annotation', 'tests'], style: PLAIN })
  for (const kind of FDB_KINDS) {
    for (const { name, samples, sessions, annotation, tests } of described(kind).subsets) {
      table.push([kind, name, samples, sessions, annotation ?? '-', tests])
    }
  }
  print(table.toString())
  print(`Download: ${FDB_SOURCE.repository}, ${FDB_SOURCE.where}. License: ${FDB_SOURCE.license}.`)
  print('floorload downloads nothing and holds none of it. Check a download with: floorload datasets check DIR')
}

function described(kind: FdbKind) {
  const { title, subsets, recordings }: FdbVersion = FDB_VERSIONS[kind]
  return {
    dataset: kind,
    title,
    samples: subsets.reduce((sum, { declared }) => sum + declared, 0),
    subsets: subsets.map(({ name, declared, annotationFile, tests }) => ({
      name,
      samples: declared,
      sessions: declared * recordings.length,
      files: recordings.map(({ file }) => file),
      annotation: annotationFile,
      tests,
    })),
  }
}
