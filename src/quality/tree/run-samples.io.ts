/** What a run holds of each sample: its session, and what the run's books say of the item and its annotation. */
import { join, resolve } from 'node:path'
import { UserError } from '../../base/errors.js'
import { RUN_FILE, type SampleBooks, type VariantBooks } from '../../capture/run-manifest.js'
import { type RecordedRun, readBooks, type SessionEntry } from '../../capture/run-reader.io.js'
import { sampleNameOf } from '../../capture/sample-name.js'
import { CLIP_ID } from '../../dataset/input-clip.js'

export interface RunSample {
  readonly subset: string
  /** The dataset's own id. */
  readonly item: string
  readonly variant: string
  /** Undefined where no session was recorded. */
  readonly session: SessionEntry | undefined
  readonly sample: SampleBooks
  readonly books: VariantBooks
}

export interface RunSamples {
  readonly samples: readonly RunSample[]
  /** Sessions that sent an item again; only the first session of an item is observed. */
  readonly repeats: number
}

/** In the order of the run's books. A run without books (the plain layout) has sessions of no subset. */
export async function runSamples(run: RecordedRun): Promise<RunSamples> {
  const books = await readBooks(run.directory)
  if (books === undefined) {
    const samples = run.sessions.map((session) => ({
      subset: 'sessions',
      item: session.name,
      variant: 'input',
      session,
      sample: {},
      books: {},
    }))
    return { samples, repeats: 0 }
  }
  const byFolder = new Map(run.sessions.map((session) => [resolve(session.directory), session]))
  const samples = new Map<string, RunSample>()
  let repeats = 0
  for (const sample of books.samples) {
    const { subset, item } = sampleNameOf(sample)
    checkNames(run, subset, item)
    for (const [variant, state] of Object.entries(sample.variants ?? {})) {
      if (state.annotation != null) checkNames(run, state.annotation.file)
      const key = `${subset}/${item}/${variant}`
      if (samples.has(key)) {
        repeats += 1
        continue
      }
      const directory = state.directory ?? join(sample.directory ?? join('samples', sample.id ?? ''), variant)
      const session = byFolder.get(resolve(run.directory, directory))
      samples.set(key, { subset, item, variant, session, sample, books: state })
    }
  }
  return { samples: [...samples.values()], repeats }
}

/** They become paths; a run's books must not lead outside of the run, the dataset or the tree. */
function checkNames(run: RecordedRun, ...names: readonly string[]): void {
  const odd = names.find((name) => !CLIP_ID.test(name))
  if (odd === undefined) return
  throw new UserError({
    code: 'RUN_UNREADABLE',
    message: `${run.directory}: ${RUN_FILE} names ${JSON.stringify(odd)}, which cannot be a file's name`,
    fix: 'names consist of letters, digits, dots, dashes and underscores',
  })
}
