/**
 * The books of a run: `manifest.json` (what was to be run, written first) and `run.json` (what became of it, rewritten
 * as sessions end), in the field's layout. Reading is tolerant of fields that other recorders add or leave out; what we
 * need and do not find is reported by the reader. docs/formats.md, "Run directory".
 */
import { z } from 'zod'

const finite = z.number()
const record = z.record(z.string(), z.unknown())

/** How a level was offered: everything that changes the load a server sees. */
export const loadConfigSchema = z.looseObject({
  concurrency: z.number().int().min(1),
  repeat: z.number().int().min(1).default(1),
  role: z.enum(['level', 'warmup']).default('level'),
  policy: z.string().optional(),
  phases: z.string().optional(),
  senders: z.number().int().min(1).optional(),
  /** What the host was calibrated to drive with so many senders. */
  calibrated_sessions: z.number().int().min(0).nullish(),
})

/** How a level is judged unless the reader asks otherwise. */
export const evaluationSchema = z.looseObject({
  playback_reserve_s: finite.min(0).optional(),
  targets: z.looseObject({ unit_miss_rate_max: finite.optional(), rtf_p90_below: finite.optional() }).optional(),
  gate: z.unknown().optional(),
  quality: z.unknown().optional(),
  seed: z.number().int().min(0).optional(),
})

export const runManifestSchema = z.looseObject({
  schema_version: z.literal(1, { error: 'this version of floorload reads schema_version 1' }).optional(),
  kind: z.string().optional(),
  profile: z.string(),
  /** The whole profile as it was resolved, so that a run with a user's own profile can be read anywhere. */
  profile_definition: record.optional(),
  /** Plain layout: sessions requested at once. */
  concurrency: z.number().int().min(1).optional(),
  config: z
    .looseObject({
      load: z.unknown().optional(),
      evaluation: z.unknown().optional(),
      transport: z
        .looseObject({
          admission_retries: z.number().int().min(0).optional(),
          input_send_receipts: z.unknown().optional(),
        })
        .optional(),
    })
    .optional(),
  samples: z.unknown().optional(),
})
export type RunManifest = z.infer<typeof runManifestSchema>

const variantStatus = z.looseObject({
  directory: z.string().optional(),
  status: z.string().optional(),
  input: z
    .looseObject({
      duration_s: finite.optional(),
      sha256: z.string().nullish(),
      /** Length of the item at 16 kHz, where it is not that of the input. */
      window_samples: z.number().int().min(1).nullish(),
    })
    .nullish(),
  source: z.looseObject({ file: z.string().nullish(), sha256: z.string().nullish() }).nullish(),
  annotation: z.looseObject({ file: z.string(), sha256: z.string() }).nullish(),
})
export type VariantBooks = z.infer<typeof variantStatus>

const sampleBooks = z.looseObject({
  id: z.string().optional(),
  /** The dataset's own id, where the sample is a repeat of it. */
  item: z.string().optional(),
  subset: z.string().optional(),
  directory: z.string().optional(),
  /** The field's recorder: paths below the dataset's root, and hashes of these files. */
  paths: z.record(z.string(), z.string().nullish()).optional(),
  sha256: z.record(z.string(), z.string().nullish()).optional(),
  variants: z.record(z.string(), variantStatus).optional(),
})
export type SampleBooks = z.infer<typeof sampleBooks>

export const runBooksSchema = z.looseObject({
  status: z.string().optional(),
  load: z.unknown().optional(),
  samples: z.array(sampleBooks).default([]),
})
export type RunBooks = z.infer<typeof runBooksSchema>

export const MANIFEST_FILE = 'manifest.json'
export const RUN_FILE = 'run.json'
export const TRACE_FILE = 'continuous.jsonl'
export const RECEIPTS_FILE = 'input-send-receipts.json'
export const INPUT_FILE = 'input.pcm'
export const WAV_FILE = 'input.wav'
export const REPORT_FILE = 'report.json'
export const MONITOR_FILE = 'self-monitoring.json'

/** Folder of a level in a sweep's output: `concurrency-8`, `concurrency-8-r2`. */
export function levelDirectoryName(concurrency: number, repeat: number, repeats: number): string {
  return repeats === 1 ? `concurrency-${concurrency}` : `concurrency-${concurrency}-r${repeat}`
}
