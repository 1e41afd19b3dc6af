/** Inputs for sweeps over real sockets, as short as a sweep makes sense with. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeWav16 } from '../../src/dataset/wav.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { speechLikeInput } from './virtual-level.js'

/** Writes WAV files of these lengths into a new folder. @returns the folder */
export async function writeShortClips(folder: string, lengthsMs: readonly number[]): Promise<string> {
  const profile = await loadProfile('minicpmo-native')
  await mkdir(folder)
  for (const [index, lengthMs] of lengthsMs.entries()) {
    const samples = speechLikeInput(profile, lengthMs, `clip ${index}`)
    const bytes = encodeWav16({ samples, sampleRateHz: profile.input.sample_rate_hz })
    await writeFile(join(folder, `clip-${index}.wav`), bytes)
  }
  return folder
}
