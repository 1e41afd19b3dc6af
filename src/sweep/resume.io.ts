/** The inputs of an earlier sweep, as it stored them: a resumed sweep sends the same samples, wherever its files are now. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../base/errors.js'
import { type ClipAnnotation, type InputClip, makeInputClip, sha256Hex } from '../dataset/input-clip.js'
import type { SweepManifest } from './sweep-manifest.js'

/** @throws UserError RESUME_MISMATCH when an input or its annotation is missing or no longer the one of before */
export async function resumedInputs(output: string, manifest: SweepManifest): Promise<InputClip[]> {
  return Promise.all(
    manifest.inputs.map(async (input) => {
      const bytes = await storedBytes(join(output, input.file), input.sha256)
      return makeInputClip({
        id: input.id,
        subset: input.subset,
        variant: input.variant,
        sampleRateHz: manifest.profile.input.sample_rate_hz,
        pcm: new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)),
        source: { file: input.source_file, sha256: input.source_sha256 },
        normalization: input.normalization,
        annotation: await storedAnnotation(output, input.annotation ?? null),
        ...(input.window_samples === undefined ? {} : { windowSamples: input.window_samples }),
      })
    }),
  )
}

async function storedAnnotation(
  output: string,
  annotation: NonNullable<SweepManifest['inputs'][number]['annotation']> | null,
): Promise<ClipAnnotation | null> {
  if (annotation === null) return null
  const { file, name, sha256 } = annotation
  return { file: name, text: (await storedBytes(join(output, file), sha256)).toString('utf8'), sha256 }
}

async function storedBytes(file: string, sha256: string): Promise<Buffer> {
  const bytes = await readFile(file).catch(() => undefined)
  if (bytes !== undefined && sha256Hex(bytes) === sha256) return bytes
  throw new UserError({
    code: 'RESUME_MISMATCH',
    message: `the input ${file} is ${bytes === undefined ? 'missing' : 'not the one that was sent before'}`,
    fix: 'begin a new sweep in another folder',
  })
}
