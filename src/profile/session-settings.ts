/**
 * The `session` object that a sweep really sends: the profile's own, the user's overlay laid over it, and the turn detector
 * put where the protocol wants it. What comes out is the profile as recorded, so a run carries its settings with it.
 */
import { UserError } from '../base/errors.js'
import { isObject } from '../base/json.js'
import { type Profile, type ProtocolName, turnDetectionRule } from './profile.js'

type JsonObject = Readonly<Record<string, unknown>>

export interface SessionSettings {
  /** Laid over the profile's `session`, object by object; other values replace. */
  readonly session?: JsonObject | undefined
  /** Undefined: not given. Null: manual turns, where the protocol has them. */
  readonly turnDetection?: JsonObject | null | undefined
}

/** Where the detector stands in the `session` object; undefined where the protocol takes none. */
const TURN_DETECTION_PATH: Readonly<Record<ProtocolName, readonly string[] | undefined>> = {
  native: undefined,
  'turn-based': ['audio', 'input', 'turn_detection'],
  'legacy-half-duplex': ['turn_detection'],
  'openai-realtime': ['audio', 'input', 'turn_detection'],
  'vllm-duplex': undefined,
}

const EXAMPLE = `--turn-detection '{"type":"server_vad","silence_duration_ms":500}'`

/**
 * @returns the profile with its `session` resolved
 * @throws UserError USAGE when a detector is missing, refused by the protocol, or has no type
 */
export function withSessionSettings(profile: Profile, settings: SessionSettings): Profile {
  const rule = turnDetectionRule(profile)
  const path = TURN_DETECTION_PATH[profile.protocol]
  const { turnDetection } = settings
  let session = settings.session === undefined ? profile.session : merged(profile.session, settings.session)
  if (turnDetection !== undefined) {
    if (path === undefined) {
      throw new UserError({
        code: 'USAGE',
        message: `--turn-detection does not apply to profile ${profile.name}: a ${profile.protocol} server decides about turns itself`,
        fix: 'leave it out',
      })
    }
    session = withValueAt(session, path, turnDetection)
  }
  const detection = path === undefined ? undefined : valueAt(session, path)
  if (rule === 'required' && detection === undefined) {
    throw new UserError({
      code: 'USAGE',
      message: `profile ${profile.name} needs --turn-detection: it changes what is measured, so there is no default`,
      fix: `such as ${EXAMPLE}`,
    })
  }
  const isManual = detection === null && rule === 'optional'
  const hasType = isObject(detection) && typeof detection.type === 'string'
  if (detection !== undefined && !isManual && !hasType) {
    throw new UserError({
      code: 'USAGE',
      message: `--turn-detection is ${JSON.stringify(detection)}; it must be a JSON object with a type`,
      fix: `such as ${EXAMPLE}`,
    })
  }
  return session === profile.session ? profile : { ...profile, session }
}

/** Object by object; arrays and other values of the overlay replace. */
function merged(base: JsonObject, overlay: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(overlay)) {
    const below = result[key]
    result[key] = isObject(below) && isObject(value) ? merged(below, value) : value
  }
  return result
}

function withValueAt(object: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [key, ...rest] = path
  if (key === undefined) return object
  const below = object[key]
  return { ...object, [key]: rest.length === 0 ? value : withValueAt(isObject(below) ? below : {}, rest, value) }
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), object)
}
