/** A tree as the export writes it, small enough for a test, and a recognizer that answers from a table. */
import { createHash } from 'node:crypto'
import { encodeWav16 } from '../../../src/dataset/wav.js'
import type { Word } from '../../../src/quality/transcripts/transcript.js'
import type { WordRequest, WordSource } from '../../../src/quality/transcripts/word-source.js'
import { type FileTree, folderWith } from '../../helpers/temp-folders.js'

export const PAUSE = 'synthetic_pause_handling/1'
export const TURN = 'candor_turn_taking/7'
export const INTERRUPTION = 'synthetic_user_interruption/3'
/** R of the interruption sample, with the float noise of real files; the window is 2 s long. */
export const R = 1.25000000000005

/** Samples count up from `first`, so that a part of them shows where it was cut. */
export function countingWav(samples: number, first = 0): Uint8Array {
  return encodeWav16({
    samples: Int16Array.from({ length: samples }, (_, index) => first + index),
    sampleRateHz: 16_000,
  })
}

/** Three eligible samples of 2 s and one that has no window. */
export async function smallTree(extra: FileTree = {}): Promise<string> {
  const samples = [PAUSE, TURN, INTERRUPTION].map((id, index) => {
    const wav = countingWav(32_000, index - 16_000)
    return { id, wav, sha256: createHash('sha256').update(wav).digest('hex') }
  })
  const manifest = {
    schema_version: 1,
    samples: [
      ...samples.map(({ id, sha256 }) => ({
        sample_id: id,
        subset: id.split('/')[0],
        eligible: true,
        files: { 'output.wav': { sha256 } },
      })),
      { sample_id: 'candor_turn_taking/8', subset: 'candor_turn_taking', eligible: false, reasons: ['no_trace'] },
    ],
  }
  const wavs = Object.fromEntries(samples.map(({ id, wav }) => [`${id}/output.wav`, wav]))
  return folderWith({
    'manifest.json': manifest,
    ...wavs,
    [`${PAUSE}/pause.json`]: [{ timestamp: [0.5, 1] }],
    [`${TURN}/turn_taking.json`]: [{ timestamp: [1, 1.1] }],
    [`${INTERRUPTION}/interrupt.json`]: [{ timestamp: [0.5, R] }],
    ...extra,
  })
}

export interface TableSource extends WordSource {
  /** Requests in the order in which they came. */
  readonly requests: WordRequest[]
}

/** One word at 0.1 s, unless a sample is told otherwise; an error is thrown. */
export function tableSource(
  answers: Readonly<Record<string, readonly Word[] | Error>> = {},
  options: { readonly name?: string; readonly concurrency?: number } = {},
): TableSource {
  const { name = 'fake', concurrency = 1 } = options
  const requests: WordRequest[] = []
  return {
    identity: { kind: 'command', name, details: { version: 1 } },
    concurrency,
    requests,
    async wordsOf(request) {
      requests.push(request)
      const answer = answers[request.sample] ?? [{ text: 'yes', startS: 0.1, endS: 0.3 }]
      if (answer instanceof Error) throw answer
      return { text: answer.map(({ text }) => text).join(' '), words: answer }
    },
    async close() {},
  }
}
