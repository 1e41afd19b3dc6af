import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { InputClip } from '../../src/dataset/input-clip.js'
import type { Profile } from '../../src/profile/profile.js'
import { annotationFileOf, inputFileOf, loadSweepInputs, storeInputs } from '../../src/sweep/inputs.io.js'
import { resumedInputs } from '../../src/sweep/resume.io.js'
import { inputEntry, type SweepManifest, sweepManifestSchema } from '../../src/sweep/sweep-manifest.js'
import { datasetFolder } from '../helpers/dataset-folders.js'
import { NATIVE } from '../helpers/measured-levels.js'
import { temporaryFolder } from '../helpers/temp-folders.js'

const withInput = (input: Partial<Profile['input']>): Profile => ({ ...NATIVE, input: { ...NATIVE.input, ...input } })

async function v10(profile: Profile = NATIVE) {
  const root = await datasetFolder('fdb-v1.0', [1, 2])
  return loadSweepInputs({ kind: 'fdb-v1.0', root, max_per_subset: 1 }, profile, () => undefined)
}

/** What `sweep.json` holds, as far as inputs are concerned. */
const manifestOf = (clips: readonly InputClip[]): SweepManifest =>
  ({
    profile: NATIVE,
    inputs: clips.map((clip) =>
      inputEntry(clip, { pcm: inputFileOf('.', clip), annotation: annotationFileOf('.', clip) }),
    ),
  }) as unknown as SweepManifest

describe('inputs of a sweep', () => {
  it.each([
    { name: 'as it is', input: {}, samples: 16_000 },
    { name: 'with silence appended', input: { trailing_silence_ms: 800 }, samples: 28_800 },
    { name: 'at another rate', input: { sample_rate_hz: 24_000, trailing_silence_ms: 100 }, samples: 26_400 },
  ])('the window is the item’s own length: $name', async ({ input, samples }) => {
    const { clips, dataset } = await v10(withInput(input))
    expect(clips.map(({ pcm, windowSamples }) => [pcm.length, windowSamples])).toEqual(Array(5).fill([samples, 16_000]))
    expect(clips[0]?.annotation?.file).toBe('pause.json')
    expect(dataset).toMatchObject({ kind: 'fdb-v1.0', selection: { rule: { max_per_subset: 1, selection: 'all' } } })
  })

  it('an ids file chooses them, in the dataset’s order', async () => {
    const root = await datasetFolder('fdb-v1.5', [1, 2])
    const ids = join(root, '..', 'ids.txt')
    await writeFile(ids, 'background_speech/2\nuser_interruption/1\n')
    const { clips } = await loadSweepInputs(
      { kind: 'fdb-v1.5', root, selection: { ids_file: ids } },
      NATIVE,
      () => undefined,
    )
    expect(clips.map(({ subset, id, variant }) => `${subset}/${id}/${variant}`)).toEqual([
      'user_interruption/1/overlap',
      'user_interruption/1/clean',
      'background_speech/2/overlap',
      'background_speech/2/clean',
    ])
  })

  it('a dataset without its folder is refused', async () => {
    await expect(loadSweepInputs({ kind: 'fdb-v1.0' }, NATIVE, () => undefined)).rejects.toMatchObject({
      code: 'SWEEP_FIELD',
      message: expect.stringContaining('Full-Duplex-Bench v1.0'),
    })
  })
})

describe('a resumed sweep', () => {
  it('has the inputs of before, with windows and annotations', async () => {
    const { clips } = await v10()
    const output = await temporaryFolder()
    await storeInputs(output, clips)
    const manifest = JSON.parse(JSON.stringify(manifestOf(clips))) as SweepManifest
    expect(await resumedInputs(output, manifest)).toEqual(clips)
    const stored = join(output, 'inputs/candor_turn_taking/1.input.turn_taking.json')
    expect(await readFile(stored, 'utf8')).toBe(clips[2]?.annotation?.text)
  })

  it.each([
    { name: 'is missing', change: (file: string) => rm(file) },
    { name: 'is not the one', change: (file: string) => writeFile(file, '[]') },
  ])('refuses an annotation that $name', async ({ name, change }) => {
    const { clips } = await v10()
    const output = await temporaryFolder()
    await storeInputs(output, clips)
    await change(join(output, 'inputs/candor_turn_taking/1.input.turn_taking.json'))
    await expect(resumedInputs(output, manifestOf(clips))).rejects.toMatchObject({
      code: 'RESUME_MISMATCH',
      message: expect.stringContaining(name),
    })
  })

  it('reads entries of earlier versions, which knew neither', async () => {
    const { clips } = await v10()
    const output = await temporaryFolder()
    await storeInputs(output, clips)
    const manifest = manifestOf(clips.slice(0, 1))
    const entries = manifest.inputs.map(({ window_samples, annotation, ...entry }) => entry)
    expect(sweepManifestSchema.shape.inputs.safeParse(entries).success).toBe(true)
    const [clip] = await resumedInputs(output, { ...manifest, inputs: entries })
    expect(clip).toMatchObject({ windowSamples: 16_000, annotation: null })
  })
})
