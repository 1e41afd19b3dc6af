/** The audio of a sweep: loaded from wherever the sweep says, and kept in the output folder for load processes and readers. */
import { join } from 'node:path'
import { writeFileWhole } from '../base/atomic-file.io.js'
import { UserError } from '../base/errors.js'
import { loadAudioInputs } from '../dataset/audio-files.io.js'
import { loadFdbInputs } from '../dataset/full-duplex-bench.io.js'
import { type InputClip, makeInputClip, pcm16Bytes } from '../dataset/input-clip.js'
import type { Profile } from '../profile/profile.js'
import type { SweepConfig } from '../profile/sweep-file.js'
import { builtInClips } from '../speech/clips.io.js'

/**
 * @throws UserError what is wrong with the audio, or SWEEP_FIELD when a dataset's folder is not given
 */
export async function loadInputs(
  inputs: SweepConfig['inputs'],
  profile: Profile,
  onNote: (note: string) => void,
): Promise<InputClip[]> {
  const clips = await loadClips(inputs, profile.input.sample_rate_hz, onNote)
  const silenceMs = profile.input.trailing_silence_ms
  return silenceMs === 0 ? clips : clips.map((clip) => withTrailingSilence(clip, silenceMs))
}

/** The silence is part of the input: it is sent, stored and counted like the rest. */
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
): Promise<InputClip[]> {
  switch (inputs.kind) {
    case 'built-in':
      return builtInClips(targetRateHz)
    case 'audio':
      return loadAudioInputs({ paths: inputs.paths, targetRateHz, onNote })
    case 'fdb-v1.5':
      if (inputs.root === undefined) {
        throw new UserError({
          code: 'SWEEP_FIELD',
          message: 'inputs.root is missing: this sweep needs a download of Full-Duplex-Bench v1.5',
          fix: 'pass --dataset-root DIR',
        })
      }
      return loadFdbInputs({
        version: 'v1.5',
        root: inputs.root,
        targetRateHz,
        onNote,
        ...(inputs.max_per_subset === undefined ? {} : { maxPerSubset: inputs.max_per_subset }),
      })
    default:
      return inputs satisfies never
  }
}

/** Where a clip's PCM stands in the output folder. */
export function inputFileOf(output: string, clip: InputClip): string {
  return join(output, 'inputs', clip.subset, `${clip.id}.${clip.variant}.pcm`)
}

export async function storeInputs(output: string, clips: readonly InputClip[]): Promise<void> {
  for (const clip of clips) await writeFileWhole(inputFileOf(output, clip), pcm16Bytes(clip.pcm))
}
