/** Speech segments of a detector that ran elsewhere, counted as words: the same definition as `vad`, with its file named. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { microsecondsOf } from '../../base/microseconds.js'
import type { SpanS } from '../../dataset/annotation.js'
import { sampleFolder, type TreeSample } from '../tree/tree-manifest.js'
import { checkInputLength, speechProblem } from '../unified/check-sample.js'
import type { SpanUs } from '../unified/loaded-sample.js'
import { parseSpeechFile } from '../unified/speech-file.js'
import type { TreeTranscripts } from './read-transcripts.io.js'
import { SEGMENT_TEXT, vadIdentity } from './segments-as-words.js'
import type { Transcript } from './transcript.js'
import { cutSecondsOf, treeError, treeWindows } from './tree-windows.io.js'

/**
 * @param file name of the file of segments beside each `output.wav`; of an interruption window only what lies after R counts
 * @throws UserError TREE_INVALID with the sample
 */
export async function vadTranscriptsFromFile(tree: string, file: string): Promise<TreeTranscripts> {
  const { eligible } = await treeWindows(tree)
  const transcripts = new Map<string, Transcript>()
  for (const sample of eligible) {
    const folder = sampleFolder(sample)
    const text = await readFile(join(tree, folder, file), 'utf8').catch(() => undefined)
    if (text === undefined) throw treeError(`${folder} has no ${file}`, 'write one beside each output.wav')
    const parsed = parseSpeechFile(text)
    if (!parsed.ok) throw treeError(`${folder}: ${file} ${parsed.problem}`, 'correct the file')
    const problem = speechProblem(parsed.value.map(inMicroseconds), totalUsOf(sample))
    if (problem !== undefined) throw treeError(`${folder}: ${file}: ${problem}`, 'correct the file')
    transcripts.set(folder, afterCut(parsed.value, await cutSecondsOf(tree, sample)))
  }
  return { recognizer: vadIdentity({ kind: 'file', file }), transcripts, asrSha256: null }
}

function inMicroseconds([startS, endS]: SpanS): SpanUs {
  return { startUs: microsecondsOf(startS), endUs: microsecondsOf(endS) }
}

/** Without an end where the manifest does not say how long the window is: the scorer asks for it. */
function totalUsOf({ input }: TreeSample): number {
  const length = checkInputLength({
    durationS: input?.duration_s,
    samples: input?.samples,
    sampleRateHz: input?.sample_rate,
  })
  return length.ok ? length.value.totalUs : Number.POSITIVE_INFINITY
}

/** As audio is cut at R before it is detected: a stretch of speech that carries over R begins there. */
function afterCut(segments: readonly SpanS[], cutS: number | null): Transcript {
  const cutUs = cutS === null ? Number.NEGATIVE_INFINITY : microsecondsOf(cutS)
  const words = segments.flatMap(([startS, endS]) => {
    if (microsecondsOf(endS) <= cutUs) return []
    return [{ text: SEGMENT_TEXT, startS: cutS !== null && microsecondsOf(startS) < cutUs ? cutS : startS, endS }]
  })
  return { text: words.map(({ text }) => text).join(' '), words }
}
