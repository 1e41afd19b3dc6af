/** `sweep.json`: what a sweep was asked for, with everything resolved, and on what it ran. Enough to resume it. */
import { z } from 'zod'
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
      normalization: z.array(z.string()),
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
  started_at: z.string(),
})
export type SweepManifest = z.infer<typeof sweepManifestSchema>
