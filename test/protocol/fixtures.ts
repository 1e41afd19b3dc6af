/** Golden traces and the shipped profiles, as the protocol tests use them. */
import { readFileSync } from 'node:fs'
import { parse as parseYaml } from 'yaml'
import { type Profile, profileSchema } from '../../src/profile/profile.js'
import { judgeSession } from '../../src/protocol/judge.js'
import { DEFAULT_ADMISSION_RETRIES, type Verdict } from '../../src/protocol/verdict.js'
import { TraceDraft } from '../helpers/trace-mutations.js'

const ROOT = new URL('../../', import.meta.url)

export function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

export function loadProfile(name: string): Profile {
  return profileSchema.parse(parseYaml(readText(`profiles/${name}.yaml`)))
}

/** Valid sessions to break. `whole` has an input of exactly one unit. */
export const BASES = {
  minicpmo: { profile: 'minicpmo-native', trace: 'protocol-examples/native-minicpmo.jsonl' },
  whole: { profile: 'minicpmo-native', trace: 'serving/01-native-two-sessions/sessions/two/continuous.jsonl' },
  personaplex: { profile: 'personaplex-native', trace: 'protocol-examples/native-personaplex.jsonl' },
  nemotron: { profile: 'nemotron-voicechat', trace: 'protocol-examples/native-nemotron.jsonl' },
  turn: { profile: 'turn-based', trace: 'protocol-examples/turn-based.jsonl' },
  legacy: { profile: 'qwen3-omni-half-duplex', trace: 'protocol-examples/legacy-half-duplex.jsonl' },
  openai: { profile: 'openai-realtime', trace: 'protocol-examples/openai-ga.jsonl' },
  vllm: { profile: 'vllm-duplex', trace: 'protocol-examples/vllm-duplex.jsonl' },
} as const

export type BaseName = keyof typeof BASES

const profiles = new Map<string, Profile>()

export function profileOf(base: BaseName): Profile {
  const { profile: name } = BASES[base]
  const profile = profiles.get(name) ?? loadProfile(name)
  profiles.set(name, profile)
  return profile
}

export function draftOf(base: BaseName): TraceDraft {
  return new TraceDraft(readText(`test/vectors/${BASES[base].trace}`))
}

export interface JudgeOptions {
  readonly admissionRetryLimit?: number | undefined
  /** Whether the profile's output is taken for continuous. */
  readonly isContinuous?: boolean | undefined
}

export function judgeDraft(
  base: BaseName,
  draft: TraceDraft,
  { admissionRetryLimit = DEFAULT_ADMISSION_RETRIES, isContinuous }: JudgeOptions = {},
): Verdict {
  const profile = profileOf(base)
  const continuous = isContinuous ?? profile.output.continuous
  return judgeSession({
    profile: { ...profile, output: { ...profile.output, continuous } },
    lines: draft.toLines(),
    admissionRetryLimit,
  })
}

/** The numbers of the checks a verdict names, each once, in order of first mention. */
export function checksIn(verdict: Verdict): string[] {
  return [...new Set([...verdict.violations, ...verdict.notes].map(({ check }) => check))]
}
