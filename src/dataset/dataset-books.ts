/** What the books of a sweep and of its runs say of the dataset whose samples were sent. */
import { z } from 'zod'
import { FDB_KINDS } from './fdb-versions.js'

const counts = z.record(z.string(), z.number().int().min(0))

export const datasetBooksSchema = z.looseObject({
  kind: z.enum(FDB_KINDS),
  /** The folder as it was given. */
  root: z.string(),
  inventory: z.looseObject({
    /** Samples of each subset as published. */
    declared: counts,
    /** Samples found; a subset that is not there is not in it. */
    observed: counts,
    /** Entries that are neither a subset nor a sample. */
    ignored: z.number().int().min(0),
  }),
  selection: z.looseObject({
    /** The rule as it was given. */
    rule: z.unknown(),
    /** Samples used of each subset. */
    selected: counts,
  }),
})
export type DatasetBooks = z.infer<typeof datasetBooksSchema>
