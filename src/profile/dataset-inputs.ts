/** The part of a sweep file that names a download of Full-Duplex-Bench and chooses samples from it. */
import { z } from 'zod'

/** All samples of a subset, or the first so many; 0 leaves it out. */
const countSchema = z.union([z.literal('all'), z.number().int().min(0).max(1_000_000)], {
  error: 'must be "all" or a whole number from 0',
})

const CHOICES = ['subsets', 'counts', 'ids', 'ids_file'] as const
const FORMS = 'must be "all", {subsets: [NAME], counts: {NAME: N}}, {ids: [SUBSET/ID]} or {ids_file: FILE}'

/** Names of subsets and samples are compared with the download when it is read. */
export const sampleSelectionSchema = z.union(
  [
    z.literal('all'),
    z
      .strictObject({
        /** Only these. */
        subsets: z.array(z.string().min(1)).min(1).optional(),
        /** Of these, instead of `max_per_subset`. */
        counts: z.record(z.string(), countSchema).optional(),
        /** Exactly these, each `SUBSET/ID`. */
        ids: z.array(z.string().min(1)).min(1).optional(),
        /** A file with one `SUBSET/ID` on each line. */
        ids_file: z.string().min(1).optional(),
      })
      .refine((choice) => {
        const given = CHOICES.filter((name) => choice[name] !== undefined)
        const hasIds = choice.ids !== undefined || choice.ids_file !== undefined
        return given.length > 0 && (!hasIds || given.length === 1)
      }, FORMS),
  ],
  { error: FORMS },
)
export type SampleSelection = z.infer<typeof sampleSelectionSchema>

function datasetInputs<Kind extends string>(kind: Kind) {
  return z
    .strictObject({
      kind: z.literal(kind),
      root: z.string().min(1).optional(),
      max_per_subset: countSchema.optional(),
      selection: sampleSelectionSchema.optional(),
    })
    .refine(({ max_per_subset, selection }) => max_per_subset === undefined || canBeLimited(selection), {
      path: ['max_per_subset'],
      message: 'must not stand beside a selection that names its samples or takes all of them',
    })
}

function canBeLimited(selection: SampleSelection | undefined): boolean {
  if (selection === undefined) return true
  return selection !== 'all' && selection.ids === undefined && selection.ids_file === undefined
}

export const fdbV10InputsSchema = datasetInputs('fdb-v1.0')
export const fdbV15InputsSchema = datasetInputs('fdb-v1.5')
export type DatasetInputs = z.infer<typeof fdbV10InputsSchema> | z.infer<typeof fdbV15InputsSchema>
