/** The flags that ask for conversation quality beside the capacity; the same for `sweep` and `report`. */
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { UserError } from '../base/errors.js'
import { redactUrl } from '../base/redact.js'
import { describeProblems } from '../base/schema.js'
import { decidingMargins, type QualitySettings, qualitySettingsSchema } from '../profile/quality-settings.js'
import type { SweepConfig } from '../profile/sweep-file.js'
import { redactArguments } from '../quality/transcripts/recognizer-name.js'
import { parseTranscriptSpec, type TranscriptSpec } from '../quality/transcripts/transcript-spec.js'
import { collect } from './parse.js'

export interface QualityFlags {
  readonly quality?: boolean
  readonly transcripts?: string
  readonly asrModel?: string
  readonly asrKeyEnv?: string
  readonly qualityMargin?: string[]
}

export function addQualityFlags(command: Command): Command {
  return command
    .option('--quality', 'score turn-taking on the captured audio of every level, and name the quality capacity')
    .option('--transcripts <spec>', 'where words come from (docs/transcripts.md); speech segments (vad) by default')
    .option('--asr-model <name>', 'model of a transcription endpoint')
    .option('--asr-key-env <name>', "environment variable that holds the endpoint's key")
    .option(
      '--quality-margin <name=value>',
      'how much worse a metric may be than at the lowest level, such as pause_intrusion_rate=0.05; "none" takes it out; may be repeated',
      collect,
    )
}

/**
 * The settings with the flags laid over them; undefined where quality was not asked for.
 * @throws UserError USAGE for a margin or a source of words that there is not, before anything is sent
 */
export function qualitySettings(base: QualitySettings | undefined, flags: QualityFlags): QualitySettings | undefined {
  const { transcripts, asrModel, asrKeyEnv, qualityMargin } = flags
  const isAsked = flags.quality === true || base !== undefined
  const dependent = { '--transcripts': transcripts, '--asr-model': asrModel, '--quality-margin': qualityMargin }
  const alone = Object.entries({ ...dependent, '--asr-key-env': asrKeyEnv }).find(([, value]) => value !== undefined)
  if (!isAsked) {
    if (alone === undefined) return undefined
    throw new UserError({ code: 'USAGE', message: `${alone[0]} says how quality is scored and needs --quality` })
  }
  const merged = {
    ...base,
    ...(transcripts === undefined ? {} : { transcripts }),
    ...(asrModel === undefined ? {} : { asr_model: asrModel }),
    margins: { ...base?.margins, ...marginsOf(qualityMargin ?? []) },
  }
  const problems = describeProblems(qualitySettingsSchema, merged)
  if (problems !== undefined) {
    throw new UserError({
      code: 'USAGE',
      message: `quality: ${problems}`,
      fix: 'see docs/metrics.md, "Quality against load"',
    })
  }
  const settings = qualitySettingsSchema.parse(merged)
  parseTranscriptSpec(settings.transcripts)
  if (Object.keys(decidingMargins(settings)).length === 0) {
    throw new UserError({
      code: 'USAGE',
      message: 'quality: every margin is taken out, so nothing would decide',
      fix: 'leave at least one in; docs/metrics.md, "Quality against load"',
    })
  }
  return settings
}

/**
 * A sweep that is scored as it can be: of the built-in speech it sends the part with labels, and its source of words can hear
 * what was never heard before. Settings are stored with the sweep, so they may hold no secret.
 * @throws UserError USAGE for inputs without labels, transcripts of a tree, and a source of words with a secret in it
 */
export function sweepWithQuality(config: SweepConfig): SweepConfig {
  if (config.quality === undefined) return config
  ensureCanHear(config.quality)
  return { ...config, inputs: labelledInputs(config.inputs) }
}

function ensureCanHear({ transcripts }: QualitySettings): void {
  const spec = parseTranscriptSpec(transcripts)
  if (spec.kind === 'tree') {
    throw new UserError({
      code: 'USAGE',
      message: `transcripts "${transcripts}" stand in a tree, and a sweep records what has none yet`,
      fix: 'name a recognizer or vad; floorload report and score take transcripts of your own',
    })
  }
  if (!holdsSecret(spec)) return
  throw new UserError({
    code: 'USAGE',
    message: 'the source of words holds a secret, and a sweep stores its settings',
    fix: 'give an endpoint its key with --asr-key-env, and a command its own through an environment variable',
  })
}

function holdsSecret(spec: TranscriptSpec): boolean {
  if (spec.kind === 'openai') return redactUrl(spec.url) !== spec.url
  return (
    spec.kind === 'command' &&
    redactArguments(spec.arguments).some((argument, index) => argument !== spec.arguments[index])
  )
}

function labelledInputs(inputs: SweepConfig['inputs']): SweepConfig['inputs'] {
  if (inputs.kind === 'built-in-turns' || inputs.kind === 'fdb-v1.0') return inputs
  if (inputs.kind === 'built-in') return { kind: 'built-in-turns' }
  throw new UserError({
    code: 'USAGE',
    message: `quality is scored by labels, which the inputs "${inputs.kind}" do not have`,
    fix: 'send the built-in labelled speech (--turns) or Full-Duplex-Bench v1.0 (--dataset fdb-v1.0)',
  })
}

function marginsOf(texts: readonly string[]): Record<string, number | null> {
  return Object.fromEntries(
    texts.map((text) => {
      const match = /^([a-z0-9_]+)=(.+)$/.exec(text.trim())
      const value = match?.[2] === 'none' ? null : Number(match?.[2])
      if (match?.[1] === undefined || (value !== null && !Number.isFinite(value))) {
        throw new InvalidArgumentError('--quality-margin has the form name=value, such as pause_intrusion_rate=0.05')
      }
      return [match[1], value]
    }),
  )
}
