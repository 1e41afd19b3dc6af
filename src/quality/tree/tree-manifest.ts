/**
 * `manifest.json` of an exported v1.0 tree: every selected sample, whether it can be scored, and why not. Written by the
 * export, read by the scorer; trees of other tools are read too, so reading is tolerant of what it does not need.
 * Source: docs/formats.md, "Reference tree".
 */
import { z } from 'zod'

export const TREE_MANIFEST_FILE = 'manifest.json'
/** Of a tree of v1.5 pairs. */
export const PAIR_MANIFEST_FILE = 'reference-manifest.json'
/** The field's names. */
export const TREE_KIND = 'full-duplex-bench-v1.0-reference-audio'
export const PAIR_TREE_KIND = 'full-duplex-bench-v1.5-reference-audio'
/** Of samples that belong to no subset of the benchmark: they have windows and no scores. */
export const UNSCORED_TASK = 'unscored'
export const ASR_RECEIPT_FILE = 'asr.json'
export const OUTPUT_WAV_FILE = 'output.wav'
export const WINDOW_RATE_HZ = 16_000

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')

/**
 * Hashes of the files in the sample's folder, as the field's own tool writes them: `{"output.wav": "…"}`. Other trees
 * have them one level down, `{"output.wav": {"sha256": …}}`.
 */
const filesSchema = z.record(
  z.string(),
  z.union([sha256, z.looseObject({ sha256: sha256.optional() }).transform((file) => file.sha256)]),
)

export const treeSampleSchema = z.looseObject({
  /** `SUBSET/ID` or `ID`. */
  sample_id: z.string().min(1),
  subset: z.string().min(1),
  task: z.string().optional(),
  eligible: z.boolean(),
  /** Why it has no window; empty for an eligible sample. */
  reasons: z.array(z.string()).default([]),
  input: z
    .looseObject({
      duration_s: z.number().optional(),
      samples: z.number().int().optional(),
      sample_rate: z.number().int().optional(),
      sha256: sha256.nullish(),
    })
    .optional(),
  files: filesSchema.default({}),
})
export type TreeSample = z.infer<typeof treeSampleSchema>

export const treeManifestSchema = z.looseObject({
  schema_version: z.literal(1).optional(),
  kind: z.string().optional(),
  /** Size of each whole subset. */
  declared: z.record(z.string(), z.number().int().min(0)).optional(),
  samples: z.array(treeSampleSchema),
})
export type TreeManifest = z.infer<typeof treeManifestSchema>

/** Folder of a sample below the tree: `SUBSET/ID`. */
export function sampleFolder({ sample_id: id, subset }: Pick<TreeSample, 'sample_id' | 'subset'>): string {
  return id.startsWith(`${subset}/`) ? id : `${subset}/${id}`
}
