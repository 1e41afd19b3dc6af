/** The loopback server's settings as flags: one table for `serve`, in the words of docs/loopback.md. */
import type { Command } from 'commander'
import type { LoopbackOptionsInput } from '../loopback/options.js'
import { parseCount, parseNumber } from './parse.js'

type OptionName = keyof LoopbackOptionsInput

interface LoopbackFlag {
  readonly flag: string
  readonly option: OptionName
  readonly text: string
  readonly parse: (text: string) => unknown
}

const ms = parseNumber({ minimum: 0, maximum: 3_600_000 })

export const LOOPBACK_FLAGS: readonly LoopbackFlag[] = [
  { flag: '--host <address>', option: 'host', text: 'address to listen on (127.0.0.1)', parse: String },
  { flag: '--port <n>', option: 'port', text: 'port; 0 lets the system choose', parse: parseCount(0) },
  {
    flag: '--base-ms <ms>',
    option: 'baseMs',
    text: 'simulated accelerator: fixed time of a batch (10% of a unit or reply chunk)',
    parse: ms,
  },
  {
    flag: '--per-unit-ms <ms>',
    option: 'perUnitMs',
    text: 'simulated accelerator: time each unit or reply chunk adds (15% of it)',
    parse: ms,
  },
  {
    flag: '--jitter <share>',
    option: 'jitter',
    text: 'share of a batch’s time by which it varies (0.02)',
    parse: parseNumber({ minimum: 0, maximum: 0.9 }),
  },
  { flag: '--max-batch <n>', option: 'maxBatch', text: 'most units in one batch (no limit)', parse: parseCount(1) },
  {
    flag: '--max-sessions <n>',
    option: 'maxSessions',
    text: 'sockets held at once; the next upgrade gets HTTP 503 (1024)',
    parse: parseCount(1),
  },
  {
    flag: '--model-slots <n>',
    option: 'modelSlots',
    text: 'sessions in model memory; the next one is refused in-band (no limit; turn-based 16)',
    parse: parseCount(1),
  },
  { flag: '--teardown-ms <ms>', option: 'teardownMs', text: 'how long a closed session keeps its slot (0)', parse: ms },
  {
    flag: '--stall-every-s <s>',
    option: 'stallEveryS',
    text: 'fault: once in so many seconds a batch takes --stall-ms longer',
    parse: parseNumber({ minimum: 0.001 }),
  },
  { flag: '--stall-ms <ms>', option: 'stallMs', text: 'fault: length of such a stall', parse: ms },
  { flag: '--oom-at <n>', option: 'oomAt', text: 'fault: out of memory at so many sessions', parse: parseCount(1) },
  {
    flag: '--fault <name>',
    option: 'fault',
    text: 'fault: what goes wrong on purpose, by name (docs/loopback.md, "Faults")',
    parse: String,
  },
  { flag: '--fault-every <n>', option: 'faultEvery', text: 'fault: every so many sessions (2)', parse: parseCount(1) },
  {
    flag: '--fault-at-ms <ms>',
    option: 'faultAtMs',
    text: 'fault: when in a session it strikes, from session.updated (1000)',
    parse: ms,
  },
  { flag: '--fault-ms <ms>', option: 'faultMs', text: 'fault: how long slow-handshake waits (5000)', parse: ms },
  {
    flag: '--listen <how>',
    option: 'listen',
    text: 'what hears the user: speech (Silero) or energy (cheap) (speech)',
    parse: String,
  },
  {
    flag: '--reply-after-silence-ms <ms>',
    option: 'replyAfterSilenceMs',
    text: 'silence after which the model answers (300)',
    parse: ms,
  },
  {
    flag: '--later-ms <ms>',
    option: 'laterMs',
    text: 'each further open session delays the start of replies by so much (0)',
    parse: ms,
  },
  {
    flag: '--jumpier-ms <ms>',
    option: 'jumpierMs',
    text: 'each further open session shortens the silence that is waited for (0)',
    parse: ms,
  },
  {
    flag: '--force-listen-count <n>',
    option: 'forceListenCount',
    text: 'units in which it must listen first (1)',
    parse: parseCount(0),
  },
  {
    flag: '--reply-chunk-ms <ms>',
    option: 'replyChunkMs',
    text: 'turn-based kinds: audio of one synthesis step (200)',
    parse: parseNumber({ minimum: 10 }),
  },
  {
    flag: '--turn-silence-ms <ms>',
    option: 'turnSilenceMs',
    text: 'turn-based kinds: silence that ends a turn where the client does not say (500)',
    parse: ms,
  },
  {
    flag: '--turn-prefix-padding-ms <ms>',
    option: 'turnPrefixPaddingMs',
    text: 'turn-based kinds: audio counted before detected speech (300)',
    parse: ms,
  },
  {
    flag: '--max-output-lead-ms <ms>',
    option: 'maxOutputLeadMs',
    text: 'turn-based: how far reply audio may run ahead of real time (1000)',
    parse: ms,
  },
  { flag: '--seed <n>', option: 'seed', text: 'seed of jitter and replies (1)', parse: parseCount(0) },
]

/** @param options which of them; all unless given */
export function addLoopbackFlags(command: Command, options?: readonly OptionName[]): Command {
  for (const { flag, option, text, parse } of LOOPBACK_FLAGS) {
    if (options === undefined || options.includes(option)) command.option(flag, text, parse)
  }
  return command
}

/** The given flags as options; what is not given keeps the schema's default. */
export function loopbackOptionsOf(flags: Readonly<Record<string, unknown>>): LoopbackOptionsInput {
  const given = LOOPBACK_FLAGS.map(({ option }) => [option, flags[option]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as LoopbackOptionsInput
}
