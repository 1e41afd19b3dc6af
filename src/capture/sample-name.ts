/** What a run's books call the input of a session. */
import type { SampleBooks } from './run-manifest.js'

export interface SampleName {
  readonly subset: string
  /** The dataset's own id. */
  readonly item: string
}

/** Other recorders name a sample `SUBSET/ID`; a sample of no subset belongs to `sessions`. */
export function sampleNameOf({ id = '', item, subset, directory }: SampleBooks): SampleName {
  const parts = (directory ?? `samples/${id}`).replace(/^samples\//, '').split('/')
  const own = id.split('/').at(-1) ?? id
  return { subset: subset ?? (parts.length > 1 ? parts[0] : undefined) ?? 'sessions', item: item ?? own }
}
