/** The inputs of an earlier sweep, as it stored them: a resumed sweep sends the same samples, wherever its files are now. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../base/errors.js'
import { type InputClip, makeInputClip, sha256Hex } from '../dataset/input-clip.js'
import type { SweepManifest } from './sweep-manifest.js'

/** @throws UserError RESUME_MISMATCH when an input is missing or no longer the one that was sent */
export async function resumedInputs(output: string, manifest: SweepManifest): Promise<InputClip[]> {
  return Promise.all(
    manifest.inputs.map(async (input) => {
      const file = join(output, input.file)
      const bytes = await readFile(file).catch(() => undefined)
      if (bytes === undefined || sha256Hex(bytes) !== input.sha256) {
        throw new UserError({
          code: 'RESUME_MISMATCH',
          message: `the input ${file} is ${bytes === undefined ? 'missing' : 'not the one that was sent before'}`,
          fix: 'begin a new sweep in another folder',
        })
      }
      return makeInputClip({
        id: input.id,
        subset: input.subset,
        variant: input.variant,
        sampleRateHz: manifest.profile.input.sample_rate_hz,
        pcm: new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)),
        source: { file: input.source_file, sha256: input.source_sha256 },
        normalization: input.normalization,
      })
    }),
  )
}
