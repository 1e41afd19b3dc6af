/** A v1.5 tree: each sample with the window of both its sessions and what was sent. Pure. */
import { sha256Hex } from '../../dataset/input-clip.js'
import { resamplePcm16 } from '../../dataset/normalize.js'
import { encodeWav16 } from '../../dataset/wav.js'
import { WINDOW_RATE_HZ } from '../window/observation-window.js'
import type { RecordedWindow } from './recorded-window.io.js'
import type { TreeFile } from './tree-file.js'
import { PAIR_TREE_KIND } from './tree-manifest.js'
import { inputEntry, type TreeHead, treeBooks } from './window-tree.js'

const FILES = {
  overlap: { input: 'input.wav', output: 'output.wav' },
  clean: { input: 'clean_input.wav', output: 'clean_output.wav' },
} as const
type Variant = keyof typeof FILES
const VARIANTS = Object.keys(FILES) as Variant[]

export interface PairEntry {
  readonly sample_id: string
  readonly subset: string
  /** Both sessions have a window. */
  readonly eligible: boolean
  /** `VARIANT: CODE`, so that each session's stay apart. */
  readonly reasons: readonly string[]
  readonly variants: Readonly<Record<string, unknown>>
  readonly files: Readonly<Record<string, string>>
}

export type PairManifest = ReturnType<typeof treeBooks> & {
  readonly schema_version: 1
  readonly kind: typeof PAIR_TREE_KIND
  readonly counts: Readonly<Record<string, { readonly selected: number; readonly eligible: number }>>
  readonly samples: readonly PairEntry[]
}

export function pairManifest(head: TreeHead, windows: readonly RecordedWindow[]): PairManifest {
  const samples = pairsOf(windows).map(pairEntry)
  const subsets = [...new Set(samples.map(({ subset }) => subset))]
  return {
    schema_version: 1,
    kind: PAIR_TREE_KIND,
    ...treeBooks(head),
    counts: Object.fromEntries(
      subsets.map((subset) => {
        const own = samples.filter((sample) => sample.subset === subset)
        return [subset, { selected: own.length, eligible: own.filter(({ eligible }) => eligible).length }]
      }),
    ),
    samples,
  }
}

interface Pair {
  readonly subset: string
  readonly item: string
  readonly windows: Readonly<Partial<Record<Variant, RecordedWindow>>>
}

function pairsOf(windows: readonly RecordedWindow[]): Pair[] {
  const pairs = new Map<string, { subset: string; item: string; windows: Partial<Record<Variant, RecordedWindow>> }>()
  for (const window of windows) {
    const { subset, item, variant } = window
    if (variant !== 'overlap' && variant !== 'clean') continue
    const key = `${subset}/${item}`
    const pair = pairs.get(key) ?? { subset, item, windows: {} }
    pair.windows[variant] = window
    pairs.set(key, pair)
  }
  return [...pairs.values()]
}

function pairEntry(pair: Pair): PairEntry {
  const reasons = VARIANTS.flatMap((variant) => {
    const window = pair.windows[variant]
    if (window === undefined) return [`${variant}: not_recorded`]
    return window.reasons.map(({ code }) => `${variant}: ${code}`)
  })
  return {
    sample_id: `${pair.subset}/${pair.item}`,
    subset: pair.subset,
    eligible: reasons.length === 0,
    reasons,
    variants: Object.fromEntries(
      VARIANTS.flatMap((variant) => {
        const window = pair.windows[variant]
        return window === undefined ? [] : [[variant, variantEntry(window)]]
      }),
    ),
    files: Object.fromEntries([...filesOf(pair)].map(({ name, content }) => [name, sha256Hex(content)])),
  }
}

function variantEntry(window: RecordedWindow) {
  return {
    run: window.run,
    directory: window.directory,
    input: inputEntry(window),
    source_sha256: window.sourceSha256,
    reason_details: Object.fromEntries(window.reasons.map(({ code, detail }) => [code, detail])),
    flags: window.window?.flags ?? null,
  }
}

export function* pairFiles(windows: readonly RecordedWindow[]): Generator<TreeFile> {
  for (const pair of pairsOf(windows)) {
    for (const { name, content } of filesOf(pair)) yield { path: `${pair.subset}/${pair.item}/${name}`, content }
  }
}

/** Nothing of a pair of which one session has no window: the two are scored together. */
function* filesOf({ windows }: Pair): Generator<{ readonly name: string; readonly content: Uint8Array }> {
  if (VARIANTS.some((variant) => windows[variant]?.window === undefined)) return
  for (const variant of VARIANTS) {
    const window = windows[variant]
    if (window?.window === undefined || window.inputPcm === undefined) continue
    const { input, output } = FILES[variant]
    yield { name: input, content: wav(inputAtWindowRate(window)) }
    yield { name: output, content: wav(window.window.pcm) }
    if (window.annotation !== null) yield { name: window.annotation.file, content: window.annotation.bytes }
  }
}

/** What was sent, at the rate and of the length of the window. */
function inputAtWindowRate({ inputPcm, inputRateHz, windowSamples }: RecordedWindow): Int16Array {
  const pcm = resamplePcm16(inputPcm as Int16Array, { fromHz: inputRateHz, toHz: WINDOW_RATE_HZ })
  return pcm.subarray(0, windowSamples ?? pcm.length)
}

function wav(samples: Int16Array): Uint8Array {
  return encodeWav16({ samples, sampleRateHz: WINDOW_RATE_HZ })
}
