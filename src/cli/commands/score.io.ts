/** `floorload score`: turn-taking scores of an exported tree, with one or several sources of words. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { EXIT, type ExitCode, UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { RUN_FILE } from '../../capture/run-manifest.js'
import type { SpeechFinder } from '../../quality/detection/speech-finder.js'
import { type SensitivityReport, sensitivity } from '../../quality/sensitivity/sensitivity.js'
import { writeSensitivity } from '../../quality/sensitivity/sensitivity-file.io.js'
import { renderSensitivity } from '../../quality/sensitivity/sensitivity-table.js'
import { obtainTranscripts } from '../../quality/transcripts/obtain-transcripts.io.js'
import { parseTranscriptSpec, type TranscriptSpec } from '../../quality/transcripts/transcript-spec.js'
import { vadTranscriptsFromFile } from '../../quality/transcripts/vad-file.io.js'
import { type ReferenceColumn, referenceColumn } from '../../quality/unified/reference-column.js'
import { type ScoredTree, type ScoreTreeOptions, scoreTree } from '../../quality/unified/score-tree.io.js'
import { writeUnified } from '../../quality/unified/unified-files.io.js'
import { unifiedText } from '../../report/unified-table.js'
import { interruptSignal } from '../interrupt.io.js'
import { collect, parseCount } from '../parse.js'
import { note, print, tableStyleFor } from '../terminal.io.js'

interface ScoreFlags {
  readonly transcripts?: readonly string[]
  readonly speechFrom?: string
  readonly requireAsr?: boolean
  readonly asrModel?: string
  readonly asrKeyEnv?: string
  readonly asrLanguage?: string
  readonly asrConcurrency?: number
  readonly output?: string
  readonly json?: boolean
}

const SUMMARY_FILE = 'summary.json'

export function scoreCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('score')
    .description('turn-taking scores of an exported tree: pauses, turns, interruptions')
    .argument('<tree>', 'folder that floorload export wrote')
    .option('--transcripts <spec>', 'where words come from (docs/transcripts.md); several are compared', collect)
    .option('--speech-from <name>', 'file of speech segments beside each output.wav, instead of detecting speech')
    .option('--require-asr', 'refuse transcripts of the tree without asr.json')
    .option('--asr-model <name>', 'model of a transcription endpoint')
    .option('--asr-key-env <name>', "environment variable that holds the endpoint's key")
    .option('--asr-language <code>', 'language of the speech, for an endpoint')
    .option('--asr-concurrency <n>', 'windows transcribed at once', parseCount(1))
    .option('--output <dir>', 'write the scores here instead of into the tree')
    .option('--json', 'print the scores as JSON')
    .action(async (tree: string, flags: ScoreFlags) => {
      onExit(await score(tree, flags))
    })
}

async function score(tree: string, flags: ScoreFlags): Promise<ExitCode> {
  const specs = (flags.transcripts ?? ['tree']).map(parseTranscriptSpec)
  checkSpeechFile(flags.speechFrom)
  checkIsTree(tree)
  const { signal, dispose } = interruptSignal('keeping the transcripts there are')
  const finder = sharedFinder()
  try {
    const scored: ScoredTree[] = []
    for (const spec of specs)
      scored.push(await scoreWith(spec, { tree, flags, signal, finder: finder.open, of: specs.length }))
    await report(tree, scored, flags)
    return EXIT.ok
  } catch (thrown) {
    if (signal.aborted) return EXIT.interrupted
    throw thrown
  } finally {
    await finder.close()
    dispose()
  }
}

interface Scoring {
  readonly tree: string
  readonly flags: ScoreFlags
  readonly signal: AbortSignal
  readonly finder: () => Promise<SpeechFinder>
  /** How many sources are compared. */
  readonly of: number
}

async function scoreWith(spec: TranscriptSpec, { tree, flags, signal, finder, of }: Scoring): Promise<ScoredTree> {
  const { speechFrom } = flags
  const words = await wordsOf(spec, { tree, flags, signal, finder, of })
  const speech = speechFrom === undefined ? { finder } : { file: speechFrom }
  return scoreTree({ tree, words, speech, requiresAsr: flags.requireAsr, signal })
}

async function wordsOf(
  spec: TranscriptSpec,
  { tree, flags, signal, finder, of }: Scoring,
): Promise<ScoreTreeOptions['words']> {
  if (spec.kind === 'tree') return { file: spec.file }
  // A detector that ran elsewhere stands for ours throughout.
  if (spec.kind === 'vad' && flags.speechFrom !== undefined) return vadTranscriptsFromFile(tree, flags.speechFrom)
  return obtainTranscripts({
    tree,
    spec,
    place: of === 1 ? 'tree' : 'beside',
    recognizer: {
      model: flags.asrModel,
      keyVariable: flags.asrKeyEnv,
      language: flags.asrLanguage,
      concurrency: flags.asrConcurrency,
    },
    finder,
    signal,
  })
}

/** Writes, then prints: what cannot be written is not shown as done. */
async function report(tree: string, scored: readonly ScoredTree[], flags: ScoreFlags): Promise<void> {
  const folder = flags.output ?? tree
  const style = tableStyleFor(process.stdout)
  const [only] = scored
  if (only !== undefined && scored.length === 1) {
    const reference = await referenceOf(tree, only)
    const paths = await writeUnified(folder, only)
    if (flags.json === true) print(jsonText({ ...only.result, reference: reference ?? null }))
    else print(`${unifiedText(only.result, { colour: style.colour, reference })}\n`)
    for (const path of paths) note(`wrote ${path}`)
    return
  }
  const comparison: SensitivityReport = sensitivity(scored)
  const paths: string[] = []
  for (const [index, one] of scored.entries()) {
    paths.push(...(await writeUnified(join(folder, 'scores', folderName(comparison.sources[index]?.name)), one)))
  }
  paths.push(await writeSensitivity(folder, comparison))
  if (flags.json === true) {
    print(jsonText({ scores: scored.map(({ result }) => result), sensitivity: comparison }))
  } else {
    for (const { result } of scored) {
      print(`${unifiedText(result, { colour: style.colour, reference: undefined })}\n\n`)
    }
    print(renderSensitivity(comparison, style))
  }
  for (const path of paths) note(`wrote ${path}`)
}

async function referenceOf(tree: string, { result }: ScoredTree): Promise<ReferenceColumn | undefined> {
  const path = join(tree, SUMMARY_FILE)
  if (!existsSync(path)) return undefined
  const text = await readFile(path, 'utf8').catch(() => '')
  return referenceColumn(text, result, Object.keys(result.subsets))
}

/** One detector for all sources, opened when it is first needed. */
function sharedFinder(): { readonly open: () => Promise<SpeechFinder>; readonly close: () => Promise<void> } {
  let opened: Promise<SpeechFinder> | undefined
  return {
    open: async () => {
      // Only now: scores with a speech file need no model runtime.
      opened ??= import('../../quality/detection/silero-finder.io.js').then((module) => module.createSpeechFinder())
      return await opened
    },
    close: async () => {
      const finder = await opened?.catch(() => undefined)
      await finder?.close()
    },
  }
}

function checkSpeechFile(name: string | undefined): void {
  if (name === undefined || (name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name))) return
  throw new UserError({
    code: 'USAGE',
    message: `--speech-from ${JSON.stringify(name)} is no file name`,
    fix: 'name a file that stands beside each output.wav, such as vad.json',
  })
}

function checkIsTree(tree: string): void {
  if (!existsSync(join(tree, RUN_FILE))) return
  throw new UserError({
    code: 'TREE_INVALID',
    message: `${tree} is a recorded run, not an exported tree`,
    fix: `export it first: floorload export --run ${tree} --out TREE`,
  })
}

/** A source's name where it can be a folder's. */
function folderName(name: string | undefined): string {
  return (name ?? 'source').replace(/[^\w.@-]+/g, '-').replace(/^\.+/, '') || 'source'
}
