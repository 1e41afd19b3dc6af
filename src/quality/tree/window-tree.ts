/** A v1.0 tree from its windows: the files of each sample and the manifest. Pure. */
import { FDB_V10, isFdbV10Subset } from '../../dataset/annotation.js'
import { sha256Hex } from '../../dataset/input-clip.js'
import { encodeWav16 } from '../../dataset/wav.js'
import type { Profile } from '../../profile/profile.js'
import { WINDOW_RATE_HZ } from '../window/observation-window.js'
import type { Superseded } from './choose-windows.js'
import type { RecordedWindow } from './recorded-window.io.js'
import type { TreeFile } from './tree-file.js'
import { OUTPUT_WAV_FILE, TREE_KIND, type TreeManifest, type TreeSample, UNSCORED_TASK } from './tree-manifest.js'

export interface TreeHead {
  readonly toolVersion: string
  readonly profile: Profile
  /** The samples are those of a published dataset, whose sizes are known. */
  readonly isPublishedDataset: boolean
  readonly sources: readonly {
    readonly run: string
    readonly manifest_sha256: string
    readonly run_sha256: string | null
  }[]
  readonly superseded: readonly Superseded[]
  /** Sessions that sent a sample again in the same run; only the first one of each sample is exported. */
  readonly repeats: number
}

/** What every tree says of itself. */
export function treeBooks({ toolVersion, profile, sources, superseded, repeats }: TreeHead) {
  return {
    tool: { name: 'floorload', version: toolVersion },
    policy: 'derived-analysis-v2-bounded-input-jitter',
    policy_version: 2,
    timeline: 'FIFO playout from receipt in [0, T], mono 16 kHz PCM16',
    profile: profile.name,
    protocol: profile.protocol,
    trace_format: profile.trace_format ?? null,
    sources,
    superseded,
    repeats_left_out: repeats,
  }
}

export function windowManifest(head: TreeHead, windows: readonly RecordedWindow[]): TreeManifest {
  const subsets = [...new Set(windows.map(({ subset }) => subset))]
  const declared = subsets.map((subset) => {
    const own = windows.filter((window) => window.subset === subset).length
    return [subset, head.isPublishedDataset && isFdbV10Subset(subset) ? FDB_V10[subset].declared : own] as const
  })
  const samples = windows.map(sampleEntry)
  const counts = subsets.map((subset) => {
    const own = samples.filter((sample) => sample.subset === subset)
    return [subset, { selected: own.length, eligible: own.filter(({ eligible }) => eligible).length }] as const
  })
  return {
    schema_version: 1,
    kind: TREE_KIND,
    ...treeBooks(head),
    declared: Object.fromEntries(declared),
    counts: Object.fromEntries(counts),
    samples,
  }
}

function sampleEntry(window: RecordedWindow): TreeSample {
  const { subset, item, run, directory, reasons } = window
  const files = [...filesOf(window)]
  return {
    sample_id: `${subset}/${item}`,
    subset,
    task: isFdbV10Subset(subset) ? FDB_V10[subset].task : UNSCORED_TASK,
    run,
    directory,
    eligible: reasons.length === 0,
    reasons: reasons.map(({ code }) => code),
    reason_details: Object.fromEntries(reasons.map(({ code, detail }) => [code, detail])),
    input: inputEntry(window),
    source_sha256: window.sourceSha256,
    flags: window.window?.flags ?? null,
    files: Object.fromEntries(files.map(({ name, content }) => [name, sha256Hex(content)])),
  }
}

export function inputEntry({ windowSamples, inputSha256 }: RecordedWindow) {
  return {
    ...(windowSamples === null ? {} : { duration_s: windowSamples / WINDOW_RATE_HZ, samples: windowSamples }),
    sample_rate: WINDOW_RATE_HZ,
    sha256: inputSha256,
  }
}

/** One after the other, so that only one window is encoded at a time. */
export function* windowFiles(windows: readonly RecordedWindow[]): Generator<TreeFile> {
  for (const window of windows) {
    for (const { name, content } of filesOf(window)) {
      yield { path: `${window.subset}/${window.item}/${name}`, content }
    }
  }
}

/** A session without a window has no folder. */
function* filesOf(window: RecordedWindow): Generator<{ readonly name: string; readonly content: Uint8Array }> {
  if (window.window === undefined) return
  yield {
    name: OUTPUT_WAV_FILE,
    content: encodeWav16({ samples: window.window.pcm, sampleRateHz: WINDOW_RATE_HZ }),
  }
  if (window.annotation !== null) yield { name: window.annotation.file, content: window.annotation.bytes }
}
