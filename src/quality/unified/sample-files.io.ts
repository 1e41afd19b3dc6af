/** The files of one eligible sample: read, compared with the recorded hashes, parsed. Stops at the first problem. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../base/errors.js'
import { isObject } from '../../base/json.js'
import { type Annotation, FDB_V10, parseAnnotation, type SpanS } from '../../dataset/annotation.js'
import { sha256Hex } from '../../dataset/input-clip.js'
import { parseTranscript, type Transcript } from '../transcripts/transcript.js'
import { OUTPUT_WAV_FILE } from '../tree/tree-manifest.js'
import { checkInputLength } from './check-sample.js'
import type { ScoredEntry } from './scored-manifest.js'
import { parseSpeechFile } from './speech-file.js'
import { jsonProblem, treeProblem } from './tree-problem.js'
import type { SampleWords } from './tree-words.io.js'
import { windowPcm } from './window-pcm.js'

export interface SampleFiles {
  readonly annotation: Annotation
  readonly transcript: Transcript
  /** Of `speechFile`; undefined where speech is to be detected in `pcm`, and for samples that need none. */
  readonly speech: readonly SpanS[] | undefined
  /** The window, where speech is to be detected in it. */
  readonly pcm: Int16Array | undefined
}

export interface SampleReading extends SampleWords {
  readonly tree: string
  /** Name of a file with speech segments beside `output.wav`; undefined where speech is detected. */
  readonly speechFile: string | undefined
  /** Whose transcript has this hash, for the message. */
  ownerOf(transcriptSha256: string): string | undefined
}

/** @throws UserError TREE_INVALID with the sample, the file and the problem */
export async function readSampleFiles(entry: ScoredEntry, reading: SampleReading): Promise<SampleFiles> {
  const length = checkInputLength(entry.input)
  if (!length.ok) throw treeProblem(entry.key, length.problem)
  const annotation = await readAnnotation(entry, reading)
  const transcript = await readTranscript(entry, reading)
  if (FDB_V10[entry.subset].task !== 'user_interruption') {
    await checkUnneededFiles(entry, reading)
    await checkHeardWindow(entry, reading, length.value.totalUs)
    return { annotation, transcript, speech: undefined, pcm: undefined }
  }
  const { speechFile } = reading
  const speech = speechFile === undefined ? undefined : await readSpeech(entry, reading, speechFile)
  await checkUnneededFiles(entry, reading)
  const wav = await readOptional(entry, reading, OUTPUT_WAV_FILE)
  if (wav === undefined) {
    if (speech !== undefined) return { annotation, transcript, speech, pcm: undefined }
    throw treeProblem(entry.key, 'is missing', { file: OUTPUT_WAV_FILE })
  }
  const window = windowPcm(wav, length.value.totalUs)
  if (!window.ok) throw treeProblem(entry.key, window.problem, { file: OUTPUT_WAV_FILE })
  return { annotation, transcript, speech, pcm: speech === undefined ? window.value : undefined }
}

async function readAnnotation(entry: ScoredEntry, reading: SampleReading): Promise<Annotation> {
  const file = FDB_V10[entry.subset].annotationFile
  if (file === null) throw treeProblem(entry.key, 'has no annotation to score it by')
  const text = (await readNeeded(entry, reading, file)).toString('utf8')
  const parsed = parseAnnotation(file, text)
  if (!parsed.ok) throw treeProblem(entry.key, withJsonProblem(text, parsed.problem), { file })
  return parsed.annotation
}

async function readTranscript(entry: ScoredEntry, reading: SampleReading): Promise<Transcript> {
  if ('transcript' in reading.words) return reading.words.transcript
  const { file } = reading.words
  const bytes = await readNeeded(entry, reading, file)
  const recorded = reading.recorded?.transcript
  if (recorded !== undefined) checkHash(entry, reading, { file, bytes, recorded, source: 'asr.json' })
  const text = bytes.toString('utf8')
  const parsed = parseTranscript(text)
  if (!parsed.ok) throw treeProblem(entry.key, withJsonProblem(text, parsed.problem), { file })
  const named = sampleNamedIn(text)
  if (named !== undefined && named !== entry.key && named !== entry.key.slice(entry.subset.length + 1)) {
    throw treeProblem(entry.key, `is the transcript of ${named}`, { file })
  }
  return parsed.transcript
}

async function readSpeech(entry: ScoredEntry, reading: SampleReading, file: string): Promise<readonly SpanS[]> {
  const text = (await readNeeded(entry, reading, file)).toString('utf8')
  const parsed = parseSpeechFile(text)
  if (!parsed.ok) throw treeProblem(entry.key, withJsonProblem(text, parsed.problem), { file })
  return parsed.value
}

/** Words that were obtained from the window are no better than it is. */
async function checkHeardWindow(entry: ScoredEntry, reading: SampleReading, totalUs: number): Promise<void> {
  if ('file' in reading.words) return
  const wav = await readOptional(entry, reading, OUTPUT_WAV_FILE)
  const window = wav === undefined ? undefined : windowPcm(wav, totalUs)
  if (window?.ok === false) throw treeProblem(entry.key, window.problem, { file: OUTPUT_WAV_FILE })
}

/** A recorded file may be absent where nothing needs it, but not be another. */
async function checkUnneededFiles(entry: ScoredEntry, reading: SampleReading): Promise<void> {
  const names = new Set([...entry.hashes.keys(), ...(reading.recorded?.audio === undefined ? [] : [OUTPUT_WAV_FILE])])
  for (const file of names) await readOptional(entry, reading, file)
}

async function readNeeded(entry: ScoredEntry, reading: SampleReading, file: string): Promise<Buffer> {
  const bytes = await readOptional(entry, reading, file)
  if (bytes === undefined) throw treeProblem(entry.key, 'is missing', { file })
  return bytes
}

async function readOptional(entry: ScoredEntry, reading: SampleReading, file: string): Promise<Buffer | undefined> {
  const path = join(reading.tree, entry.key, file)
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw treeProblem(entry.key, `cannot be read: ${messageOf(thrown)}`, { file, fix: 'check its permissions' })
  }
  const recorded = entry.hashes.get(file)
  if (recorded !== undefined) checkHash(entry, reading, { file, bytes, recorded, source: 'manifest.json' })
  const audio = file === OUTPUT_WAV_FILE ? reading.recorded?.audio : undefined
  if (audio !== undefined) checkHash(entry, reading, { file, bytes, recorded: audio, source: 'asr.json' })
  return bytes
}

function checkHash(
  entry: ScoredEntry,
  reading: SampleReading,
  of: { readonly file: string; readonly bytes: Buffer; readonly recorded: string; readonly source: string },
): void {
  const { file, recorded, source } = of
  const found = sha256Hex(of.bytes)
  if (found === recorded) return
  const owner = reading.ownerOf(found)
  const hint = owner === undefined || owner === entry.key ? '' : `; it is the file of ${owner}`
  throw treeProblem(
    entry.key,
    `is not the file of ${source}: its SHA-256 is ${found.slice(0, 12)}…, not ${recorded.slice(0, 12)}…${hint}`,
    { file },
  )
}

/** Some tools write into a transcript which sample it belongs to. */
function sampleNamedIn(text: string): string | undefined {
  const json: unknown = JSON.parse(text)
  const named = isObject(json) ? json.sample_id : undefined
  return typeof named === 'string' ? named : undefined
}

function withJsonProblem(text: string, problem: string): string {
  return problem === 'is not valid JSON' ? jsonProblem(text) : problem
}
