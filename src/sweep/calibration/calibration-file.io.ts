/** Where the calibration of a host is kept, and how it is read again. */
import { readFile } from 'node:fs/promises'
import { arch, cpus, homedir, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { makeFolder, outputError, writeFileWhole } from '../../base/atomic-file.io.js'
import { jsonText } from '../../base/json.js'
import { toolVersion } from '../../base/version.io.js'
import { coreCount } from '../../load/cores.io.js'
import { type CalibratedHost, type Calibration, calibrationMismatch, calibrationSchema } from './calibration.js'

/** In the user's cache folder, or where `FLOORLOAD_CALIBRATION` says. */
export function calibrationPath(env: NodeJS.ProcessEnv = process.env): string {
  const named = env.FLOORLOAD_CALIBRATION
  if (named !== undefined && named !== '') return named
  const cache = env.XDG_CACHE_HOME
  return join(cache === undefined || cache === '' ? join(homedir(), '.cache') : cache, 'floorload', 'calibration.json')
}

export function calibratedHost(): CalibratedHost {
  return {
    tool_version: toolVersion(),
    node: process.version,
    platform: platform(),
    arch: arch(),
    cpu_model: cpus()[0]?.model ?? null,
    cores: coreCount(),
  }
}

/** @throws UserError when it cannot be written */
export async function storeCalibration(path: string, calibration: Calibration): Promise<void> {
  try {
    await makeFolder(dirname(path))
  } catch (thrown) {
    throw outputError(path, thrown)
  }
  await writeFileWhole(path, jsonText(calibration))
}

export type KnownCalibration =
  | { readonly kind: 'known'; readonly calibration: Calibration }
  /** There is one, and it does not count: why. */
  | { readonly kind: 'unfit'; readonly reason: string }
  | { readonly kind: 'none' }

/** What is known of this host with this transport. Never throws: a sweep needs no calibration. */
export async function knownCalibration(transport: string, path = calibrationPath()): Promise<KnownCalibration> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return { kind: 'none' }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { kind: 'unfit', reason: `${path} is not valid JSON` }
  }
  const parsed = calibrationSchema.safeParse(json)
  if (!parsed.success) return { kind: 'unfit', reason: `${path} is no calibration that this version knows` }
  const mismatch = calibrationMismatch(parsed.data, { host: calibratedHost(), transport })
  return mismatch === undefined ? { kind: 'known', calibration: parsed.data } : { kind: 'unfit', reason: mismatch }
}
