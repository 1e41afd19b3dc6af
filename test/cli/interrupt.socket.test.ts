/** A sweep that is interrupted, resumed or killed, and secrets, which are nowhere in what it leaves behind. */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { ServingResult } from '../../src/sweep/serving-result.js'
import { type CommandResult, runCommand, startServer } from '../helpers/command-line.js'
import { sendingSessions } from '../helpers/journals.js'
import { startPlainServer } from '../helpers/plain-server.js'
import { startRefusingServer } from '../helpers/refusing-server.js'
import {
  eventually,
  filesBelow,
  isRunning,
  type RunningCommand,
  runningChildrenOf,
  startCommand,
} from '../helpers/running-command.js'
import { writeShortClips } from '../helpers/short-clips.js'
import { temporaryFolder } from '../helpers/temp-folders.js'

const PROFILE = 'minicpmo-native'
const START_MS = 20_000
/** A machine that is busy with something else takes its time. */
const TIMEOUT = { timeout: 90_000 }

async function sweepFlags(url: string, ...more: readonly string[]) {
  const folder = await temporaryFolder()
  const audio = await writeShortClips(join(folder, 'clips'), [1500, 1900])
  const output = join(folder, 'output')
  const flags = ['sweep', '--url', url, '--profile', PROFILE, '--audio', audio, '--output', output, '--warm-up', '0']
  return { output, flags: [...flags, ...more] }
}

/** Until sessions of a level have begun to write, so that the interrupt strikes in their midst. */
async function untilLevelRuns(command: RunningCommand, output: string, level: number): Promise<void> {
  await eventually(`sessions of level ${level} run`, START_MS, async () => {
    if (command.hasEnded()) throw new Error(`the sweep ended: ${(await command.result).stderr}`)
    return (await sendingSessions(join(output, `concurrency-${level}`))) === level
  })
}

async function resultIn(output: string): Promise<ServingResult> {
  return JSON.parse(String((await filesBelow(output)).get('serving.json')))
}

const levelsOf = ({ levels }: ServingResult) => levels.map(({ concurrency }) => concurrency)
const jsonIn = (files: Map<string, Buffer>, path: string) => JSON.parse(String(files.get(path)))

test('a sweep that is interrupted keeps its finished levels, and is resumed to the same result', TIMEOUT, async () => {
  const server = await startServer('--profile', PROFILE, '--listen', 'energy')
  const { output, flags } = await sweepFlags(server.url, '--concurrency', '1,2', '--sessions', '1x')
  const command = startCommand(...flags)
  await untilLevelRuns(command, output, 2)
  command.kill('SIGINT')
  const interrupted = await command.result
  expect(interrupted).toMatchObject({
    exitCode: 130,
    stderr: expect.stringContaining('interrupted: closing the sessions'),
    stdout: expect.stringContaining(`floorload sweep --resume ${output}`),
  })
  expect(levelsOf(await resultIn(output))).toEqual([1])
  const before = await filesBelow(output)
  expect(jsonIn(before, 'concurrency-1/run.json').status).toBe('complete')
  expect(jsonIn(before, 'concurrency-2/run.json').status).toBe('interrupted')

  const resumed = await runCommand('sweep', '--resume', output, '--json', '--quiet')
  expect(resumed).toMatchObject({ exitCode: 0, stderr: '' })
  const result = await resultIn(output)
  expect(JSON.parse(resumed.stdout)).toEqual(result)
  expect(levelsOf(result)).toEqual([1, 2])
  expect(result.levels.map((level) => [level.sessions_attempted, level.sessions_succeeded])).toEqual([
    [1, 1],
    [2, 2],
  ])
  // The finished level was taken as it was, to the byte; the other one is whole, with nothing left of the first attempt.
  const after = await filesBelow(output)
  const ofLevel1 = (files: Map<string, Buffer>) => [...files].filter(([path]) => path.startsWith('concurrency-1/'))
  expect(ofLevel1(after)).toEqual(ofLevel1(before))
  expect(jsonIn(after, 'concurrency-2/run.json').status).toBe('complete')
  expect([...after.keys()].filter((path) => path.endsWith('.part'))).toEqual([])
  // Resumed once more, there is nothing to do, and nothing changes.
  const again = await runCommand('sweep', '--resume', output, '--json', '--quiet')
  expect(again).toEqual({ exitCode: 0, stderr: '', stdout: resumed.stdout })
})

test('a sweep that is killed takes its load process with it, and can be resumed', TIMEOUT, async () => {
  const server = await startServer('--profile', PROFILE, '--listen', 'energy')
  const { output, flags } = await sweepFlags(server.url, '--concurrency', '1', '--sessions', '40')
  const command = startCommand(...flags)
  await untilLevelRuns(command, output, 1)
  const children = await runningChildrenOf(command.pid)
  expect(children).toHaveLength(1)
  command.kill('SIGKILL')
  await command.result
  await eventually('the load process has ended', 8_000, async () => {
    const running = await Promise.all(children.map(isRunning))
    return !running.includes(true)
  })
  const files = await filesBelow(output)
  expect([...files.keys()]).not.toContain('serving.json')
  expect(jsonIn(files, 'concurrency-1/run.json').status).not.toBe('complete')
  // It begins the level again, and does not take what is there for a finished one.
  const resumed = startCommand('sweep', '--resume', output, '--quiet')
  const hasLoadProcess = async () => (await runningChildrenOf(resumed.pid)).length === 1
  await eventually('the level runs again', START_MS, hasLoadProcess)
  await untilLevelRuns(resumed, output, 1)
  resumed.kill('SIGINT')
  expect(await resumed.result).toMatchObject({ exitCode: 130 })
})

const SECRETS = {
  user: 'user-7f3a9c',
  password: 'password-51be2d',
  query: 'query+token/0c8d77==',
  header: 'sk-header-9d1f44',
  key: 'sk-environment-b2a6e0',
}
const KEY_VARIABLE = 'FLOORLOAD_TEST_API_KEY'

/** Every spelling in which a secret may turn up: as it is, in a URL, in JSON, and as basic authentication. */
const SPELLINGS = [
  ...Object.values(SECRETS).flatMap((secret) => [secret, encodeURIComponent(secret)]),
  Buffer.from(`${SECRETS.user}:${SECRETS.password}`).toString('base64'),
]

function secretAddress(host: string): string[] {
  vi.stubEnv(KEY_VARIABLE, SECRETS.key)
  const query = `duplex=1&token=${encodeURIComponent(SECRETS.query)}`
  return [
    ...['--url', `ws://${SECRETS.user}:${SECRETS.password}@${host}/v1/realtime?${query}`],
    ...['--header', `X-Api-Key: ${SECRETS.header}`, '--api-key-env', KEY_VARIABLE],
  ]
}

async function expectNoSecretIn(output: string, ...commands: readonly CommandResult[]): Promise<void> {
  const texts = new Map(
    commands.flatMap(({ stdout, stderr }, at) => [
      [`stdout ${at}`, stdout],
      [`stderr ${at}`, stderr],
    ]),
  )
  for (const [path, bytes] of await filesBelow(output)) texts.set(path, bytes.toString('latin1') + path)
  const found = [...texts].flatMap(([where, text]) =>
    SPELLINGS.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${where}`),
  )
  expect(found).toEqual([])
}

test(
  'secrets of the address, of headers and of the environment are stored nowhere and said nowhere',
  TIMEOUT,
  async () => {
    const server = await startServer('--profile', PROFILE, '--listen', 'energy')
    const address = secretAddress(new URL(server.url).host)
    const { output, flags } = await sweepFlags(server.url, '--concurrency', '1', '--sessions', '1')
    const swept = await runCommand(...flags, ...address)
    expect(swept.exitCode).toBe(0)
    const withoutThem = await runCommand('sweep', '--resume', output)
    expect(withoutThem).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/--url again \[RESUME_MISMATCH\]\n$/),
    })
    const withUrlOnly = await runCommand('sweep', '--resume', output, ...address.slice(0, 2))
    expect(withUrlOnly).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/X-Api-Key.* \[RESUME_MISMATCH\]\n$/),
    })
    const resumed = await runCommand('sweep', '--resume', output, ...address)
    expect(resumed.exitCode).toBe(0)
    await expectNoSecretIn(output, swept, withoutThem, withUrlOnly, resumed)
    expect(jsonIn(await filesBelow(output), 'sweep.json').server).toMatchObject({
      url: expect.stringMatching(/^ws:\/\/\*\*\*@127\.0\.0\.1:\d+\/v1\/realtime\?duplex=1&token=\*\*\*$/),
      header_names: ['Authorization', 'X-Api-Key'],
    })
  },
)

test(
  'a server that says secrets back, in frames, close reasons and refusals, cannot make them be stored',
  TIMEOUT,
  async () => {
    const server = await startPlainServer({
      onConnection: (socket, { headers, url }) => {
        const heard = JSON.stringify({ ...headers, url })
        socket.send(JSON.stringify({ type: 'session.created', event_id: 'e0', session: { id: 's', heard } }))
        const error = { type: 'server_error', code: 'internal', message: `you sent ${heard}` }
        socket.send(JSON.stringify({ type: 'error', event_id: 'e1', error, sglang: { fatal: true } }))
        socket.send(`no frame at all: ${heard}`)
        socket.close(1011, `${headers['x-api-key']} ${headers.authorization}`.slice(0, 120))
      },
    })
    const address = secretAddress(server.host)
    const { output, flags } = await sweepFlags(server.url, '--concurrency', '1', '--sessions', '2')
    const swept = await runCommand(...flags, ...address)
    const files = await filesBelow(output)
    // It did say them: what is left of them is their mask.
    expect([...files].filter(([path, bytes]) => path.endsWith('.jsonl') && bytes.includes('***'))).toHaveLength(2)
    const verified = await runCommand('verify', join(output, 'concurrency-1'), '--json')
    expect(verified.exitCode).toBe(1)

    const refusing = await startRefusingServer(401, ({ headers, url }) => JSON.stringify({ ...headers, url }))
    const refused = await runCommand(...flags, ...secretAddress(new URL(refusing.url).host), '--output', `${output}-2`)
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('[SERVER_REFUSED]') })
    await expectNoSecretIn(output, swept, verified, refused)
  },
)

test(
  'basic authentication, which a user and a password become on the way, is as secret as they are',
  TIMEOUT,
  async () => {
    const refusing = await startRefusingServer(401, ({ headers }) => `unknown: ${headers.authorization}`)
    const host = new URL(refusing.url).host
    const { output, flags } = await sweepFlags(`ws://${SECRETS.user}:${SECRETS.password}@${host}/v1/realtime`)
    const refused = await runCommand(...flags)
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('unknown: ') })
    await expectNoSecretIn(output, refused)
  },
)
