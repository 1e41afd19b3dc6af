/** `floorload compare OLD NEW`: did the release get worse? From the recordings of two sweeps. */
import { basename, dirname, join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { writeFileWhole } from '../../base/atomic-file.io.js'
import { EXIT, type ExitCode, UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { toolVersion } from '../../base/version.io.js'
import { comparisonMarkdown } from '../../report/comparison-markdown.js'
import { terminalComparison } from '../../report/comparison-table.js'
import { comparisonHtml } from '../../report/html/comparison-report.js'
import { pageAssets, themeScript } from '../../report/html/page-assets.io.js'
import type { ComparedSide } from '../../sweep/comparison/compared-run.js'
import { compareSides } from '../../sweep/comparison/comparison.js'
import type { Comparison } from '../../sweep/comparison/comparison-result.js'
import { readSide } from '../../sweep/comparison/read-side.io.js'
import { parseThresholds } from '../../sweep/comparison/thresholds.js'
import { collect } from '../parse.js'
import { note, print, tableStyleFor } from '../terminal.io.js'

interface CompareFlags {
  readonly threshold?: string[]
  readonly failOn?: 'worse'
  readonly output?: string
  readonly json?: boolean
}

const MARKDOWN_FILE = 'COMPARISON.md'
const PAGE_FILE = 'comparison.html'

export function compareCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('compare')
    .description('did the release get worse? two recorded sweeps side by side, every difference with its interval')
    .argument('<old>', 'output folder of the earlier sweep, or the folder of one level')
    .argument('<new>', 'the same of the later one')
    .option(
      '--threshold <name=value>',
      'how large a difference has to be to count, such as unit_lag=10%,50ms or unit_miss_rate=1%; may be repeated',
      collect,
    )
    .option('--fail-on <verdict>', 'exit 1 when the verdict is "worse"', failVerdict)
    .option('--output <file>', `write the comparison as JSON here, and ${MARKDOWN_FILE} and ${PAGE_FILE} beside it`)
    .option('--json', 'print the comparison as JSON')
    .action(async (old: string, fresh: string, flags: CompareFlags) => {
      onExit(await compare(old, fresh, flags))
    })
}

async function compare(oldFolder: string, newFolder: string, flags: CompareFlags): Promise<ExitCode> {
  const taken = [MARKDOWN_FILE, PAGE_FILE].find((name) => flags.output !== undefined && basename(flags.output) === name)
  if (taken !== undefined) {
    throw new UserError({
      code: 'USAGE',
      message: `--output ${flags.output}: ${taken} is written beside the result`,
      fix: 'give the name of the JSON file, such as comparison.json',
    })
  }
  const thresholds = parseThresholds(flags.threshold ?? [])
  const old = await readSide(oldFolder, note)
  const fresh = await readSide(newFolder, note)
  ensureCommonProfile(old, fresh)
  const comparison = compareSides({ old, new: fresh, thresholds, toolVersion: toolVersion() })
  if (flags.output !== undefined) {
    await writeFileWhole(flags.output, jsonText(comparison))
    await writeFileWhole(join(dirname(flags.output), MARKDOWN_FILE), comparisonMarkdown(comparison))
    const page = comparisonHtml(comparison, pageAssets().style, themeScript())
    await writeFileWhole(join(dirname(flags.output), PAGE_FILE), page)
  }
  print(flags.json === true ? jsonText(comparison) : terminalComparison(comparison, tableStyleFor(process.stdout)))
  return exitCodeOf(comparison, flags)
}

function exitCodeOf({ verdict }: Comparison, { failOn }: CompareFlags): ExitCode {
  if (verdict === 'not comparable') return EXIT.notMeasured
  return verdict === 'worse' && failOn === 'worse' ? EXIT.gateMissed : EXIT.ok
}

function failVerdict(text: string): 'worse' {
  if (text !== 'worse') throw new InvalidArgumentError('it must be "worse"')
  return text
}

/** Two kinds of server have no level in common, and no figure. */
function ensureCommonProfile(old: ComparedSide, fresh: ComparedSide): void {
  const names = ({ runs }: ComparedSide) => [...new Set(runs.map(({ analysed }) => analysed.profile.name))]
  const [olds, news] = [names(old), names(fresh)]
  if (olds.some((name) => news.includes(name))) return
  throw new UserError({
    code: 'NOT_COMPARABLE',
    message: `OLD was recorded with the profile ${olds.join(', ')} and NEW with ${news.join(', ')}`,
    fix: 'compare two recordings of one profile',
  })
}
