/** What is wrong with a command is one line with a code, before anything is sent or written. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ERROR_CODES, type ErrorCode } from '../../src/base/errors.js'
import { bodies, data, fmt, riff, wav16 } from '../dataset/wav-builder.js'
import { runCommand, startServer } from '../helpers/command-line.js'
import { startPlainServer } from '../helpers/plain-server.js'
import { startRefusingServer, unreachableUrl } from '../helpers/refusing-server.js'
import { writeShortClips } from '../helpers/short-clips.js'
import { folderWith, temporaryFolder, writeTree } from '../helpers/temp-folders.js'

/** More would take the processors from each other. */
const AT_ONCE = 4
/** A machine that is busy with something else takes its time. */
const TIMEOUT = { timeout: 90_000 }

interface BadCommand {
  readonly name: string
  /** A sweep's own flags; a profile, an output folder and an address where nothing listens are added. */
  readonly sweep?: readonly string[]
  /** Any other command, whole. */
  readonly command?: readonly string[]
  readonly code: ErrorCode
  /** Parts of the message, in their order. */
  readonly says: readonly string[]
  /** The output folder with what stands in it beforehand; a new one where it is not given. */
  readonly output?: string
}

/** Runs commands that cannot work, and compares all of them at once, so that a failure names its case. */
async function checkAll(cases: readonly BadCommand[]): Promise<void> {
  const root = await temporaryFolder()
  const url = await unreachableUrl()
  const check = async ({ name, command, sweep = [], code, says, ...rest }: BadCommand, index: number) => {
    const output = rest.output ?? join(root, `output-${index}`)
    const before = await entriesOf(output)
    const given = [...sweep, ...(sweep.includes('--output') ? [] : ['--output', output])]
    for (const [flag, value] of Object.entries({ '--url': url, '--profile': 'minicpmo-native' })) {
      if (!given.includes(flag)) given.push(flag, value)
    }
    const { exitCode, stdout, stderr } = await runCommand(...(command ?? ['sweep', ...given]))
    return {
      found: { name, exitCode, stdout, stderr, written: await entriesOf(output) },
      expected: {
        name,
        exitCode: ERROR_CODES[code],
        stdout: '',
        // One line and no more: a stack trace, too, would be another.
        stderr: expect.stringMatching(
          new RegExp(`^error: [^\\n]*${says.map((part) => `${escaped(part)}[^\\n]*`).join('')} \\[${code}\\]\\n$`),
        ),
        written: before,
      },
    }
  }
  const results = await inTurns(cases, check)
  expect(results.map(({ found }) => found)).toEqual(results.map(({ expected }) => expected))
}

async function inTurns<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const waiting = [...items.entries()]
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results[next[0]] = await work(next[1], next[0])
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

async function entriesOf(folder: string): Promise<string[] | 'no folder'> {
  return readdir(folder).then(
    (names) => names.sort(),
    () => 'no folder',
  )
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

test('flags and files that do not fit are told before anything happens', TIMEOUT, async () => {
  const files = await folderWith({
    'typo.yaml': 'schema: floorload.sweep/1\nname: mine\nlevels: [1]\nrepeat: 3\n',
    'garbage.json': 'not { json',
    'other.json': { schema: 'somebody.else/1', levels: [] },
    'profile.yaml': 'schema: floorload.profile/1\nname: mine\n',
  })
  const detector = '{"type":"server_vad"}'
  await checkAll([
    { name: 'an unknown command', command: ['sweeep'], code: 'USAGE', says: ["'sweeep'"] },
    { name: 'an unknown flag', sweep: ['--levels', '1'], code: 'USAGE', says: ["'--levels'"] },
    {
      name: 'an unknown profile',
      sweep: ['--profile', 'minicpm-nativ'],
      code: 'PROFILE_UNKNOWN',
      says: ['"minicpm-nativ"', 'did you mean minicpmo-native?'],
    },
    {
      name: 'a profile file with fields missing',
      sweep: ['--profile', join(files, 'profile.yaml')],
      code: 'PROFILE_FIELD',
      says: ['profile.yaml', 'protocol is missing'],
    },
    {
      name: 'level 0',
      sweep: ['--concurrency', '1,0'],
      code: 'USAGE',
      says: ['--concurrency', "'1,0'", 'whole numbers'],
    },
    {
      name: 'no address',
      command: ['sweep', '--profile', 'minicpmo-native'],
      code: 'USAGE',
      says: ['--url is missing'],
    },
    {
      name: 'an address of the web',
      sweep: ['--url', 'http://127.0.0.1/v1/realtime'],
      code: 'URL_INVALID',
      says: ['http://', 'try ws://127.0.0.1/v1/realtime'],
    },
    {
      name: 'series of no endpoint',
      sweep: ['--server-metric', 'my_queue_*'],
      code: 'USAGE',
      says: ['--server-metric my_queue_*', 'add --server-metrics URL'],
    },
    {
      name: 'a collector beside a page for Prometheus that would be left open',
      sweep: ['--prometheus', '9464', '--otlp', 'ftp://box'],
      code: 'URL_INVALID',
      says: ['--otlp ftp://box', 'such as http://127.0.0.1:4318'],
    },
    { name: 'no address at all', sweep: ['--url', 'the server'], code: 'URL_INVALID', says: ['the server is no URL'] },
    {
      name: 'turn-based without a detector',
      sweep: ['--profile', 'turn-based'],
      code: 'USAGE',
      says: ['turn-based needs --turn-detection'],
    },
    {
      name: 'native with a detector',
      sweep: ['--turn-detection', detector],
      code: 'USAGE',
      says: ['--turn-detection does not apply to profile minicpmo-native'],
    },
    {
      name: 'an unknown sweep',
      sweep: ['smokey'],
      code: 'FILE_UNREADABLE',
      says: ['smokey', 'capacity, h100-short, release-gate, smoke'],
    },
    {
      name: 'a field that a sweep file does not have',
      sweep: [join(files, 'typo.yaml')],
      code: 'SWEEP_FIELD',
      says: ['typo.yaml', 'repeat is not a known field; did you mean repeats?'],
    },
    {
      name: 'a dataset sweep without the dataset',
      sweep: ['h100-short'],
      code: 'SWEEP_FIELD',
      says: ['inputs.root is missing', '--dataset-root'],
    },
    {
      name: 'confidence without a gate',
      sweep: ['--confident'],
      code: 'USAGE',
      says: ['--confident', 'needs --min-capacity'],
    },
    {
      name: 'a header without a name, whose value may be a secret',
      sweep: ['--header', 'sk-very-secret'],
      code: 'USAGE',
      says: ['--header needs the form "Name: value"; such as --header "Authorization: Bearer KEY"'],
    },
    {
      name: 'a key that is not there',
      sweep: ['--api-key-env', 'FLOORLOAD_TEST_NO_SUCH_KEY'],
      code: 'USAGE',
      says: ['--api-key-env FLOORLOAD_TEST_NO_SUCH_KEY'],
    },
    {
      name: 'a gate on a result that is not there',
      command: ['gate', join(files, 'missing.json')],
      code: 'FILE_UNREADABLE',
      says: ['missing.json'],
    },
    {
      name: 'a gate on garbage',
      command: ['gate', join(files, 'garbage.json')],
      code: 'RESULT_UNREADABLE',
      says: ['garbage.json is not valid JSON'],
    },
    {
      name: 'a gate on somebody else’s file',
      command: ['gate', join(files, 'other.json')],
      code: 'RESULT_UNREADABLE',
      says: ['other.json', 'schema'],
    },
    {
      name: 'a report of nothing',
      command: ['report', '--run', files],
      code: 'RUN_UNREADABLE',
      says: ['manifest.json'],
    },
    { name: 'a verdict of nothing', command: ['verify', files], code: 'RUN_UNREADABLE', says: ['manifest.json'] },
    {
      name: 'a resumption of no sweep',
      command: ['sweep', '--resume', files],
      code: 'RUN_UNREADABLE',
      says: ['sweep.json is missing'],
    },
  ])
})

test('audio that cannot be used is told with the file and what to do', TIMEOUT, async () => {
  const good = wav16([1, 2, 3, 4])
  const cut = riff([fmt(), data(bodies.pcm16, 2 * bodies.pcm16.length)])
  const folder = await folderWith({
    'empty/empty.wav': '',
    'cut/cut.wav': cut,
    '8-bit/8-bit.wav': riff([fmt({ bits: 8 }), data(bodies.pcm8)]),
    'float/float.wav': riff([fmt({ tag: 3, bits: 32 }), data(bodies.float32)]),
    'mixed/good.wav': good,
    'mixed/empty.wav': '',
    'mixed/cut.wav': cut,
    'none/notes.txt': 'no audio',
    'none/deeper/good.wav': good,
  })
  const audio = (name: string, ...says: string[]): BadCommand => ({
    name,
    sweep: ['--audio', join(folder, name)],
    code: 'AUDIO_INVALID',
    says,
  })
  await checkAll([
    audio('empty', 'empty.wav', '0 bytes'),
    audio('cut', 'cut.wav', 'declares 3204 bytes', '1602'),
    audio('8-bit', '8-bit.wav', '8-bit', 'ffmpeg -i '),
    audio('float', 'float.wav', 'float', 'ffmpeg -i '),
    audio('mixed', '2 audio files cannot be used: ', 'cut.wav', 'empty.wav'),
    { ...audio('none', 'none holds no WAV files', 'not in subfolders'), code: 'AUDIO_NONE' },
    { ...audio('missing', 'missing cannot be read', 'ENOENT'), code: 'FILE_UNREADABLE' },
  ])
})

test('an output folder that is taken or cannot be is told, and left as it is', TIMEOUT, async () => {
  const folder = await folderWith({
    'sweep/sweep.json': { schema: 'floorload.sweep-run/1' },
    'sweep/concurrency-1/run.json': { status: 'complete' },
    'other/holiday.jpg': 'a picture',
    'a-file': 'a text',
  })
  const of = (path: string) => ({ output: join(folder, path), sweep: ['--output', join(folder, path)] })
  await checkAll([
    { name: 'another sweep', ...of('sweep'), code: 'OUTPUT_EXISTS', says: ['another sweep', '--resume'] },
    { name: 'other files', ...of('other'), code: 'OUTPUT_EXISTS', says: ['holiday.jpg', 'choose another --output'] },
    { name: 'a file', ...of('a-file'), code: 'OUTPUT_UNWRITABLE', says: ['a-file'] },
    { name: 'a folder below a file', ...of('a-file/deeper'), code: 'OUTPUT_UNWRITABLE', says: ['deeper', 'ENOTDIR'] },
  ])
  expect(await readFile(join(folder, 'a-file'), 'utf8')).toBe('a text')
})

test('a server that is not there, or will not have us, is told with what it said', TIMEOUT, async () => {
  const clips = await writeShortClips(join(await temporaryFolder(), 'clips'), [500])
  const [wrongPath, noKey, broken, full, small, loopback] = await Promise.all([
    startRefusingServer(404, () => 'nothing here'),
    startRefusingServer(401, ({ headers }) => `the key ${headers.authorization} is unknown`),
    startRefusingServer(500, () => 'Traceback:\n  line 1\n\n  line 2'),
    startRefusingServer(503),
    startPlainServer({ capabilities: { interaction: 'native', limits: { max_sessions: 3 } } }),
    startServer('--profile', 'minicpmo-native', '--listen', 'energy'),
  ])
  const server = (name: string, url: string, code: ErrorCode, says: string[], flags: string[] = []): BadCommand => ({
    name,
    sweep: ['--url', url, '--audio', clips, ...flags],
    code,
    says,
  })
  const refused = 'SERVER_REFUSED'
  await checkAll([
    server('nobody', await unreachableUrl(), 'SERVER_UNREACHABLE', ['cannot reach ws://127.0.0.1:', 'ECONNREFUSED']),
    server('another path', wrongPath.url, refused, ['HTTP 404: nothing here', 'correct the path']),
    server(
      'a wrong key, which it says back',
      noKey.url,
      refused,
      ['HTTP 401: the key *** is unknown', '--header'],
      [...['--header', 'Authorization: Bearer sk-very-secret']],
    ),
    server('a broken one', broken.url, refused, ['HTTP 500: Traceback: line 1 line 2', 'the log of the server']),
    server('a full one', full.url, refused, ['HTTP 503', 'wait, or raise its session limit']),
    server(
      'another kind',
      loopback.url,
      'PROFILE_MISMATCH',
      ['native_unit_ms is 1000 at the server and 80', 'output rate is 24000 at the server and 22050'],
      ['--profile', 'nemotron-voicechat', '--concurrency', '1'],
    ),
    server(
      'one too small',
      small.url,
      'PROFILE_MISMATCH',
      ['max_sessions is 3', 'highest level is 4', '--max-level auto'],
      [...['--concurrency', '2,4']],
    ),
    server(
      'one too small by far',
      small.url,
      'USAGE',
      ['no level is at most 3, which is what the server holds: 4, 8'],
      [...['--concurrency', '4,8', '--max-level', 'auto']],
    ),
    {
      name: 'a port that is taken',
      command: ['serve', '--port', new URL(loopback.url).port],
      code: 'PORT_IN_USE',
      says: [new URL(loopback.url).port],
    },
  ])
  // Full is not forever: one try and three more.
  expect(full.upgrades()).toBe(4)
  expect(wrongPath.upgrades()).toBe(1)
})

test('stereo at another rate is taken, and what was done to it is said once', TIMEOUT, async () => {
  const folder = await temporaryFolder()
  const stereo = riff([fmt({ channels: 2, rateHz: 48_000 }), data(Buffer.alloc(48_000 * 4 * 0.4, 7))])
  await writeTree(folder, { 'clips/a.wav': stereo, 'clips/b.wav': stereo })
  const { url } = await startServer('--profile', 'minicpmo-native', '--listen', 'energy')
  const result = await runCommand(
    ...['sweep', '--url', url, '--profile', 'minicpmo-native', '--audio', join(folder, 'clips'), '--json', '--quiet'],
    ...['--concurrency', '1', '--sessions', '1', '--warm-up', '0', '--output', join(folder, 'output')],
  )
  expect(result.stderr).toMatch(/^(?:note: 2 files: [^\n]*\n){2}$/)
  expect(result.stderr).toMatch(/averaged 2 channels/)
  expect(result.stderr).toMatch(/48000 .*16000/)
  expect(JSON.parse(result.stdout).levels).toMatchObject([{ concurrency: 1, sessions_attempted: 1 }])
  const manifest = JSON.parse(await readFile(join(folder, 'output/sweep.json'), 'utf8'))
  expect(manifest.inputs.map(({ samples }: { samples: number }) => samples)).toEqual([6400, 6400])
})

test('an error stays one plain line, whatever a name or a server’s words hold', TIMEOUT, async () => {
  const folder = await temporaryFolder()
  const server = await startRefusingServer(401, () => '\u001b[2J\u001b[31mred\u0007')
  const clips = await writeShortClips(join(folder, 'clips'), [500])
  const profile = ['--profile', 'minicpmo-native', '--audio', clips, '--output', join(folder, 'output')]
  const commands = [
    ['sweep', '--url', 'the\nserver', ...profile],
    ['sweep', join(folder, 'a\nb.yaml'), ...profile],
    ['gate', join(folder, 'a\nb.json')],
    ['sweep', '--url', server.url, ...profile],
  ]
  const results = await inTurns(commands, (command) => runCommand(...command))
  for (const { stderr } of results) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be printed
    expect(stderr).toMatch(/^error: [^\u0000-\u001f\u007f]* \[[A-Z_]+\]\n$/)
  }
})
