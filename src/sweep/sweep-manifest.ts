/** `sweep.json`: what a sweep was asked for, with everything resolved, and on what it ran. Enough to resume it. */
import { z } from 'zod'
import { datasetBooksSchema } from '../dataset/dataset-books.js'
import type { InputClip } from '../dataset/input-clip.js'
import { profileSchema } from '../profile/profile.js'
import { sweepFileSchema } from '../profile/sweep-file.js'

export const SWEEP_RUN_SCHEMA_NAME = 'floorload.sweep-run/1'
export const SWEEP_MANIFEST_FILE = 'sweep.json'

export const sweepManifestSchema = z.looseObject({
  schema: z.literal(SWEEP_RUN_SCHEMA_NAME),
  tool_version: z.string(),
  config: sweepFileSchema,
  profile: profileSchema,
  /** Without user information and without query values that could be secrets. */
  server: z.looseObject({ url: z.string(), header_names: z.array(z.string()) }),
  /** Absent in sweeps of versions that did not select from datasets. */
  dataset: datasetBooksSchema.nullish(),
  inputs: z.array(
    z.object({
      subset: z.string(),
      id: z.string(),
      variant: z.string(),
      /** Below the output folder. */
      file: z.string(),
      source_file: z.string().nullable(),
      source_sha256: z.string(),
      sha256: z.string(),
      samples: z.number().int().min(1),
      /** At 16 kHz, without appended silence; absent in sweeps of versions without observation windows. */
      window_samples: z.number().int().min(0).optional(),
      normalization: z.array(z.string()),
      /** `file` is below the output folder, `name` the file's own. */
      annotation: z.object({ file: z.string(), name: z.string(), sha256: z.string() }).nullish(),
    }),
  ),
  levels: z.array(
    z.object({
      concurrency: z.number().int(),
      repeat: z.number().int(),
      sessions: z.number().int(),
      run: z.string(),
    }),
  ),
  host: z.record(z.string(), z.unknown()),
  /** What the host's limits made doubtful before the first level; absent in sweeps of versions that did not look. */
  preflight: z
    .array(z.object({ check: z.string(), severity: z.string(), message: z.string(), fix: z.string() }))
    .optional(),
  started_at: z.string(),
})
export type SweepManifest = z.infer<typeof sweepManifestSchema>

/** An input's entry; its files are named by the caller, who knows where they stand. */
export function inputEntry(
  clip: InputClip,
  files: { readonly pcm: string; readonly annotation: string | null },
): SweepManifest['inputs'][number] {
  const { annotation } = clip
  return {
    subset: clip.subset,
    id: clip.id,
    variant: clip.variant,
    file: files.pcm,
    source_file: clip.source.file,
    source_sha256: clip.source.sha256,
    sha256: clip.pcmSha256,
    samples: clip.pcm.length,
    window_samples: clip.windowSamples,
    normalization: [...clip.normalization],
    annotation:
      annotation === null || files.annotation === null
        ? null
        : { file: files.annotation, name: annotation.file, sha256: annotation.sha256 },
  }
}
