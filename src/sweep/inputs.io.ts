/** The audio of a sweep: loaded from wherever the sweep says, and kept in the output folder for senders and readers. */
import { join } from 'node:path'
import { writeFileWhole } from '../base/atomic-file.io.js'
import { UserError } from '../base/errors.js'
import { loadAudioInputs } from '../dataset/audio-files.io.js'
import type { DatasetBooks } from '../dataset/dataset-books.js'
import { FDB_VERSIONS } from '../dataset/fdb-versions.js'
import { loadFdbInputs } from '../dataset/full-duplex-bench.io.js'
import { type InputClip, makeInputClip, pcm16Bytes } from '../dataset/input-clip.js'
import type { DatasetInputs } from '../profile/dataset-inputs.js'
import type { Profile } from '../profile/profile.js'
import type { SweepConfig } from '../profile/sweep-file.js'
import { builtInClips } from '../speech/clips.io.js'
import { builtInTurnClips } from '../speech/turns-clips.io.js'
import { sampleRuleOf } from './sample-rule.io.js'

export interface SweepInputs {
  readonly clips: InputClip[]
  /** What was chosen from which dataset; null where the audio comes from none. */
  readonly dataset: DatasetBooks | null
}

/**
 * @throws UserError what is wrong with the audio or the selection, or SWEEP_FIELD when a dataset's folder is not given
 */
export async function loadSweepInputs(
  inputs: SweepConfig['inputs'],
  profile: Profile,
  onNote: (note: string) => void,
): Promise<SweepInputs> {
  const { clips, dataset } = await loadClips(inputs, profile.input.sample_rate_hz, onNote)
  const silenceMs = profile.input.trailing_silence_ms
  return { clips: silenceMs === 0 ? clips : clips.map((clip) => withTrailingSilence(clip, silenceMs)), dataset }
}

/** The clips of `loadSweepInputs` alone. */
export async function loadInputs(
  inputs: SweepConfig['inputs'],
  profile: Profile,
  onNote: (note: string) => void,
): Promise<InputClip[]> {
  return (await loadSweepInputs(inputs, profile, onNote)).clips
}

/** The silence is part of the input: it is sent, stored and counted like the rest. The window stays that of the item. */
function withTrailingSilence(clip: InputClip, silenceMs: number): InputClip {
  const silence = Math.round((silenceMs * clip.sampleRateHz) / 1000)
  const pcm = new Int16Array(clip.pcm.length + silence)
  pcm.set(clip.pcm)
  return makeInputClip({ ...clip, pcm, normalization: [...clip.normalization, `appended ${silenceMs} ms of silence`] })
}

async function loadClips(
  inputs: SweepConfig['inputs'],
  targetRateHz: number,
  onNote: (note: string) => void,
): Promise<SweepInputs> {
  switch (inputs.kind) {
    case 'built-in':
      return { clips: await builtInClips(targetRateHz), dataset: null }
    case 'built-in-turns':
      return { clips: await builtInTurnClips(targetRateHz), dataset: null }
    case 'audio':
      return { clips: await loadAudioInputs({ paths: inputs.paths, targetRateHz, onNote }), dataset: null }
    case 'fdb-v1.0':
    case 'fdb-v1.5':
      return datasetClips(inputs, targetRateHz, onNote)
    default:
      return inputs satisfies never
  }
}

async function datasetClips(
  inputs: DatasetInputs,
  targetRateHz: number,
  onNote: (note: string) => void,
): Promise<SweepInputs> {
  const { kind, root, max_per_subset, selection } = inputs
  if (root === undefined) {
    throw new UserError({
      code: 'SWEEP_FIELD',
      message: `inputs.root is missing: this sweep needs a download of ${FDB_VERSIONS[kind].title}`,
      fix: 'pass --dataset-root DIR',
    })
  }
  const rule = await sampleRuleOf(inputs)
  const givenRule = { max_per_subset: max_per_subset ?? 'all', selection: selection ?? 'all' }
  const { clips, books } = await loadFdbInputs({ kind, root, targetRateHz, rule, givenRule, onNote })
  return { clips, dataset: books }
}

/** Where a clip's PCM stands in the output folder. */
export function inputFileOf(output: string, clip: InputClip): string {
  return join(output, 'inputs', clip.subset, `${clip.id}.${clip.variant}.pcm`)
}

/** Where a clip's annotation stands in the output folder; null where it has none. */
export function annotationFileOf(output: string, clip: InputClip): string | null {
  if (clip.annotation === null) return null
  return join(output, 'inputs', clip.subset, `${clip.id}.${clip.variant}.${clip.annotation.file}`)
}

export async function storeInputs(output: string, clips: readonly InputClip[]): Promise<void> {
  for (const clip of clips) {
    await writeFileWhole(inputFileOf(output, clip), pcm16Bytes(clip.pcm))
    const file = annotationFileOf(output, clip)
    if (file !== null && clip.annotation !== null) await writeFileWhole(file, clip.annotation.text)
  }
}
