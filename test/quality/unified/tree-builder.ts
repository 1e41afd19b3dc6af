/** An exported tree of four samples on disk, one of each scored subset, with what a test changes in it. */
import { createHash } from 'node:crypto'
import { encodeWav16 } from '../../../src/dataset/wav.js'
import type { SpeechFinder } from '../../../src/quality/detection/speech-finder.js'
import { type FileTree, folderWith } from '../../helpers/temp-folders.js'

export const PAUSE = 'synthetic_pause_handling/1'
export const TURN = 'candor_turn_taking/7'
export const CUT_IN = 'synthetic_user_interruption/12'
export const LOST = 'candor_pause_handling/3'

/** T is 10.0000625 s, so that it is no whole number of microseconds. */
export const SAMPLES = 160_001
const INPUT = { duration_s: SAMPLES / 16_000, samples: SAMPLES, sample_rate: 16_000 }

export const MANIFEST = {
  schema_version: 1,
  declared: { synthetic_pause_handling: 5 },
  samples: [
    { sample_id: PAUSE, subset: 'synthetic_pause_handling', task: 'pause_handling', eligible: true, input: INPUT },
    { sample_id: LOST, subset: 'candor_pause_handling', task: 'pause_handling', eligible: false, reasons: ['pacing'] },
    { sample_id: TURN, subset: 'candor_turn_taking', task: 'smooth_turn_taking', eligible: true, input: INPUT },
    {
      sample_id: CUT_IN,
      subset: 'synthetic_user_interruption',
      task: 'user_interruption',
      eligible: true,
      input: INPUT,
    },
  ],
}

export const FILES: FileTree = {
  'manifest.json': MANIFEST,
  [`${PAUSE}/pause.json`]: [{ text: '[PAUSE]', timestamp: [2, 3] }],
  [`${PAUSE}/output.json`]: words([2.5, 2.9]),
  [`${TURN}/turn_taking.json`]: [{ text: '[TURN-TAKING]', timestamp: [4, 4.2] }],
  [`${TURN}/output.json`]: words([4.5, 5]),
  [`${CUT_IN}/interrupt.json`]: [{ context: 'a', interrupt: 'b', timestamp: [4, 6] }],
  [`${CUT_IN}/output.json`]: words([7, null]),
  [`${CUT_IN}/output.wav`]: silence(SAMPLES),
  [`${CUT_IN}/vad.json`]: [[3, 5]],
}

/** @param changes by path; undefined leaves a file out */
export async function treeWith(changes: Readonly<Record<string, FileTree[string] | undefined>> = {}): Promise<string> {
  const files = Object.entries({ ...FILES, ...changes }).flatMap(([path, content]) =>
    content === undefined ? [] : [[path, content] as const],
  )
  return folderWith(Object.fromEntries(files), 'tree')
}

/** The manifest with other fields in one of its samples. */
export function manifestWith(sampleId: string, fields: object): object {
  const samples = MANIFEST.samples.map((sample) => (sample.sample_id === sampleId ? { ...sample, ...fields } : sample))
  return { ...MANIFEST, samples }
}

export function words(...timestamps: (readonly [number, number | null])[]): object {
  return { text: 'word', chunks: timestamps.map((timestamp) => ({ text: 'word', timestamp })) }
}

export function silence(samples: number, sampleRateHz = 16_000): Uint8Array {
  return encodeWav16({ samples: new Int16Array(samples), sampleRateHz })
}

/** Of a file as `treeWith` writes it. */
export function sha256Of(content: FileTree[string] | undefined): string {
  const isRaw = typeof content === 'string' || content instanceof Uint8Array
  return createHash('sha256')
    .update(isRaw ? content : JSON.stringify(content))
    .digest('hex')
}

/** Finds the same speech in every window. */
export function fixedFinder(startSample: number, endSample: number): SpeechFinder {
  return {
    identity: { kind: 'silero', version: 'fixed' },
    find: (windows) => Promise.resolve(windows.map(() => [{ startSample, endSample }])),
    close: () => Promise.resolve(),
  }
}
