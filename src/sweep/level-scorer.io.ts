/**
 * Scores the capture of a level: its windows are exported, its words obtained, its turn-taking scored, all into a tree of its
 * own that other tools can read. It runs between levels, never beside one.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../base/errors.js'
import type { QualitySettings } from '../profile/quality-settings.js'
import { createSpeechFinder } from '../quality/detection/silero-finder.io.js'
import type { SpeechFinder } from '../quality/detection/speech-finder.js'
import { obtainTranscripts } from '../quality/transcripts/obtain-transcripts.io.js'
import { openWordSource } from '../quality/transcripts/open-word-source.io.js'
import { parseTranscriptSpec } from '../quality/transcripts/transcript-spec.js'
import { exportRuns } from '../quality/tree/export-runs.io.js'
import { TREE_MANIFEST_FILE, treeManifestSchema } from '../quality/tree/tree-manifest.js'
import { scoreTree } from '../quality/unified/score-tree.io.js'
import { writeUnified } from '../quality/unified/unified-files.io.js'
import { removeFolder, renameFolder } from './output-folder.io.js'
import type { ScoredCapture } from './quality-result.js'

export interface LevelScorer {
  /**
   * @param options.run folder of the level
   * @param options.tree where its windows and scores go; transcripts that an earlier call left there are used again
   * @throws UserError where the level cannot be scored: no labelled sample, no recognizer
   */
  score(options: { readonly run: string; readonly tree: string; readonly signal?: AbortSignal }): Promise<ScoredCapture>
  close(): Promise<void>
}

/**
 * @param options.keyVariable name of the environment variable with the key of a transcription endpoint
 * @throws UserError USAGE or FILE_UNREADABLE where the recognizer cannot be used as given, MODEL_HASH where the speech
 * detector is another, before any level
 */
export async function openLevelScorer(
  settings: QualitySettings,
  options: { readonly keyVariable?: string | undefined } = {},
): Promise<LevelScorer> {
  const spec = parseTranscriptSpec(settings.transcripts)
  const recognizer = { model: settings.asr_model, keyVariable: options.keyVariable }
  if (spec.kind !== 'vad' && spec.kind !== 'tree') await (await openWordSource(spec, recognizer)).close()
  // Opened at once, since every level needs it: better no sweep than one that cannot be scored.
  const speechFinder: SpeechFinder = await createSpeechFinder()
  const finder = async () => speechFinder
  return {
    async score({ run, tree, signal }) {
      await exportInto(tree, run, signal)
      const words =
        spec.kind === 'tree'
          ? { file: spec.file }
          : await obtainTranscripts({
              tree,
              spec,
              place: 'tree',
              recognizer,
              finder,
              signal,
            })
      const scored = await scoreTree({ tree, words, speech: { finder }, signal })
      if (Object.keys(scored.result.subsets).length === 0) {
        throw new UserError({
          code: 'TREE_INVALID',
          message: `${run} holds no labelled sample, so its quality cannot be scored`,
          fix: 'record the built-in labelled speech (--turns) or Full-Duplex-Bench v1.0',
        })
      }
      await writeUnified(tree, scored)
      return scored
    },
    async close() {
      await speechFinder.close()
    },
  }
}

/**
 * The same capture gives the same tree: one that is there already is kept, with the transcripts in it. Only a tree of windows
 * is ever replaced.
 * @throws UserError OUTPUT_EXISTS where the folder holds anything else
 */
async function exportInto(tree: string, run: string, signal: AbortSignal | undefined): Promise<void> {
  const before = await readFile(join(tree, TREE_MANIFEST_FILE), 'utf8').catch(() => undefined)
  if (before === undefined || !isTreeManifest(before)) {
    await exportRuns({ runs: [run], out: tree, signal })
    return
  }
  const fresh = `${tree}.new`
  await removeFolder(fresh)
  try {
    const { manifestFile } = await exportRuns({ runs: [run], out: fresh, signal })
    if ((await readFile(manifestFile, 'utf8')) !== before) await renameFolder(fresh, tree)
  } finally {
    await removeFolder(fresh)
  }
}

function isTreeManifest(text: string): boolean {
  try {
    return treeManifestSchema.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}
