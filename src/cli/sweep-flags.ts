/** The flags of a sweep, and the sweep that they make of a sweep file. */
import { type Command, Option } from 'commander'
import { UserError } from '../base/errors.js'
import { describeProblems } from '../base/schema.js'
import { SWEEP_SCHEMA_NAME, type SweepConfig, sweepFileSchema, TRANSPORT_CHOICES } from '../profile/sweep-file.js'
import { addDatasetFlags, DATASET_OPTIONS, type DatasetFlags } from './dataset-flags.js'
import { type GateFlags, gateWithFlags } from './gate-flags.js'
import {
  collect,
  parseCount,
  parseJson,
  parseJsonObject,
  parseLevels,
  parseMaxLevel,
  parseNumber,
  parseSenders,
  parseSessions,
} from './parse.js'
import { addPipelineOptions, type PipelineFlags } from './pipeline-reports.io.js'
import { addQualityFlags, type QualityFlags, qualitySettings, sweepWithQuality } from './quality-flags.js'

export interface SweepFlags extends DatasetFlags, QualityFlags, Omit<GateFlags, 'runs'>, PipelineFlags {
  readonly url?: string
  readonly profile?: string
  readonly audio?: string[]
  readonly turns?: boolean
  readonly concurrency?: number[]
  readonly output?: string
  readonly repeats?: number
  readonly start?: SweepConfig['start']
  readonly phases?: SweepConfig['phases']
  readonly order?: SweepConfig['order']
  readonly sessions?: SweepConfig['sessions']
  readonly warmUp?: number
  readonly reserveMs?: number
  readonly unitMissRateMax?: number
  readonly rtfP90Below?: number
  readonly stopAtMissRate?: number
  readonly admissionRetries?: number
  readonly sessionTimeout?: number
  readonly maxLevel?: number | 'auto'
  readonly turnDetection?: Record<string, unknown> | null
  readonly session?: Record<string, unknown>
  readonly model?: string
  readonly apiKeyEnv?: string
  readonly prometheus?: string
  readonly otlp?: string
  readonly serverMetrics?: string[]
  readonly serverMetric?: string[]
  readonly transport?: SweepConfig['transport']
  readonly senders?: SweepConfig['senders']
  /** False with --no-preflight. */
  readonly preflight: boolean
  readonly seed?: number
  readonly header?: string[]
  readonly resume?: string
  readonly json?: boolean
  readonly quiet?: boolean
}

/** @returns the same command, with everything that a sweep can be told */
export function addSweepFlags(command: Command): Command {
  command
    .option('--url <url>', 'the server, such as ws://HOST:8099/v1/realtime')
    .option(
      '--profile <name|file>',
      'kind of server: a shipped profile or your own file ("floorload profiles" lists them)',
    )
    .addOption(
      new Option('--audio <dir|file>', 'WAV files to send instead of the built-in speech; may be repeated')
        .argParser(collect)
        .conflicts([...DATASET_OPTIONS]),
    )
    .addOption(
      new Option('--turns', 'send the built-in labelled speech, whose replies can be scored').conflicts([
        'audio',
        ...DATASET_OPTIONS,
      ]),
    )
    .option('--concurrency <levels>', 'levels, such as 1,2,4,8', parseLevels)
    .option('--output <dir>', 'folder for results and traces; it must be new or empty')
    .option('--repeats <n>', 'runs of every level, each in a fresh process', parseCount(1))
    .option('--start <policy>', 'how sessions begin: pool, aligned, spread or poisson')
    .option('--phases <how>', 'packets of different sessions: spread over the interval (default), or all aligned')
    .option('--order <order>', 'order of the levels: ascending, descending, as_given or shuffled')
    .option(
      '--sessions <n>',
      'sessions of a level: all, a total such as 40, or for each slot such as 3x',
      parseSessions,
    )
    .option('--warm-up <n>', 'sessions before the first level, left out of the results', parseCount(0))
    .option('--reserve-ms <ms>', 'playback reserve for underruns', parseNumber({ minimum: 0, maximum: 60_000 }))
    .option(
      '--unit-miss-rate-max <rate>',
      'target: highest share of missed units',
      parseNumber({ minimum: 0, maximum: 1 }),
    )
    .option('--rtf-p90-below <factor>', 'target of turn-based servers', parseNumber({ minimum: 0.01 }))
    .option(
      '--stop-at-miss-rate <rate>',
      'end the sweep after a level this bad',
      parseNumber({ minimum: 0, maximum: 1 }),
    )
    .option(
      '--gate <expression>',
      'check that has to be met, such as "first_audio.p90@4 <= 600ms"; may be repeated',
      collect,
    )
    .option('--min-capacity <n>', 'gate: exit 1 when the capacity is lower', parseCount(1))
    .option('--strict', 'gate by the strict campaign rule instead of the targets')
    .option('--confident', 'gate on what is shown with 95% confidence; inconclusive exits 3')
    .option('--admission-retries <n>', 'refused upgrades (HTTP 503) that are tried again, at most 3', parseCount(0))
    .option('--session-timeout <s>', 'deadline of a whole session', parseNumber({ minimum: 1 }))
    .option(
      '--max-level <n|auto>',
      'leave out levels above this; auto: above what the server says it holds',
      parseMaxLevel,
    )
    .option(
      '--turn-detection <json>',
      'turn detector of the server, such as {"type":"server_vad"}; required by turn-based profiles',
      parseJson,
    )
    .option(
      '--session <json>',
      'laid over the profile’s session object: voice, instructions, sampling',
      parseJsonObject,
    )
    .option('--model <name>', 'put into the query of the URL')
    .option('--api-key-env <name>', 'environment variable whose value is sent as a bearer token')
    .addOption(
      new Option('--transport <name>', 'how sessions are sent; lean drives more of them from one core').choices(
        TRANSPORT_CHOICES,
      ),
    )
    .option(
      '--senders <n|auto>',
      'processes that send; auto: as many as the level needs and the cores allow',
      parseSenders,
    )
    .option('--no-preflight', 'begin even where this host is bound to fail')
    .option('--server-metrics <url>', "read the server's Prometheus endpoint each second; may be repeated", collect)
    .option('--server-metric <pattern>', 'keep these series too, such as my_queue_*; may be repeated', collect)
    .option('--prometheus <port>', 'show live figures at http://127.0.0.1:PORT/metrics; HOST:PORT for other machines')
    .option('--otlp <url>', 'push live figures to an OpenTelemetry collector')
    .option('--seed <n>', 'seed of everything that is drawn', parseCount(0))
    .option('--header <"Name: value">', 'sent with the upgrade, stored nowhere; may be repeated', collect)
    .option('--resume <dir>', 'go on with an interrupted sweep in its folder')
    .option('--json', 'print serving.json instead of the table')
    .option('--quiet', 'no progress')
  return addPipelineOptions(addQualityFlags(addDatasetFlags(command)))
}

/** The sweep file with the flags laid over it, checked as a whole. */
export function sweepConfig(base: SweepConfig | undefined, flags: SweepFlags, inputs: unknown): SweepConfig {
  const merged: Record<string, unknown> = { schema: SWEEP_SCHEMA_NAME, name: 'flags', levels: [1, 2, 4, 8], ...base }
  const set = (key: string, value: unknown) => {
    if (value !== undefined) merged[key] = value
  }
  set('levels', flags.concurrency)
  set('repeats', flags.repeats)
  set('start', flags.start)
  set('phases', flags.phases)
  set('order', flags.order)
  set('sessions', flags.sessions)
  set('warm_up_sessions', flags.warmUp)
  set('playback_reserve_ms', flags.reserveMs)
  set('transport', flags.transport)
  set('senders', flags.senders)
  set('seed', flags.seed)
  set('turn_detection', flags.turnDetection)
  set('session', flags.session)
  if (flags.turns === true) merged.inputs = { kind: 'built-in-turns' }
  if (flags.audio !== undefined) merged.inputs = { kind: 'audio', paths: flags.audio }
  set('inputs', inputs)
  merged.targets = overlay(base?.targets, {
    unit_miss_rate_max: flags.unitMissRateMax,
    rtf_p90_below: flags.rtfP90Below,
  })
  merged.admission = overlay(base?.admission, { retries: flags.admissionRetries })
  merged.deadlines = overlay(base?.deadlines, { session_s: flags.sessionTimeout })
  if (flags.stopAtMissRate !== undefined) merged.stop = { unit_miss_rate_at_least: flags.stopAtMissRate }
  set('gate', gateWithFlags(base?.gate, flags))
  set('quality', qualitySettings(base?.quality, flags))
  const problems = describeProblems(sweepFileSchema, merged)
  if (problems !== undefined) throw new UserError({ code: 'SWEEP_FIELD', message: problems })
  return sweepWithQuality(sweepFileSchema.parse(merged))
}

function overlay(base: object | undefined, over: Record<string, unknown>): Record<string, unknown> {
  return { ...base, ...Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined)) }
}
