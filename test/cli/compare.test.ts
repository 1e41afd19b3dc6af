/** The command as a user has it, in this process: recordings on disk, files, exit codes. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { program } from '../../src/cli/main.js'
import { type RunPlan, runFiles } from '../helpers/recorded-runs.js'
import { type FileTree, temporaryFolder, writeTree } from '../helpers/temp-folders.js'

interface Answer {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

async function compare(...args: readonly string[]): Promise<Answer> {
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    const spy = vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      output[stream] += String(text)
      return true
    })
    onTestFinished(() => spy.mockRestore())
  }
  let exitCode: number | undefined
  try {
    const argv = ['node', 'floorload', 'compare', ...args]
    const root = await program(argv, (code) => {
      exitCode = code
    })
    await root.parseAsync(argv)
  } catch (thrown) {
    const { code, message } = thrown as { code: string; message: string }
    output.stderr += `${message} [${code}]`
  } finally {
    vi.restoreAllMocks()
  }
  return { exitCode, ...output }
}

/** A level of twelve sessions, each with a lag of its own. */
function levelFiles(lagMs: number, changes: Partial<RunPlan> = {}): FileTree {
  const sessions = Array.from({ length: 12 }, (_, index) => [
    `s${String(index).padStart(2, '0')}`,
    { inputSamples: 48_000, lagsUs: [0, 1, 2].map((unit) => (lagMs + 5 * index + unit) * 1000) },
  ])
  return runFiles({ name: '', concurrency: 4, sessions: Object.fromEntries(sessions), ...changes })
}

/** Folders of levels by name. */
async function folders(levels: Readonly<Record<string, FileTree>>): Promise<string> {
  const root = await temporaryFolder()
  for (const [name, files] of Object.entries(levels)) await writeTree(join(root, name), files)
  return root
}

const SWEEP = {
  schema: 'floorload.sweep-run/1',
  tool_version: '1',
  config: { schema: 'floorload.sweep/1', name: 'x', levels: [4] },
  server: { url: 'ws://x', header_names: [] },
  inputs: [],
  levels: [],
  host: { cpus: 2, cpu_model: 'one', platform: 'linux', arch: 'x64' },
  started_at: '2020-01-01T00:00:00Z',
}
const PROFILE = {
  schema: 'floorload.profile/1',
  name: 'p',
  description: 'd',
  protocol: 'native',
  trace_format: 't',
  unit_ms: 1000,
  input: { sample_rate_hz: 16_000 },
  output: { sample_rate_hz: 24_000 },
}

describe('compare', () => {
  it('says worse, with the figures, and fails where it is asked to', async () => {
    const root = await folders({ old: levelFiles(200), new: levelFiles(300) })
    const [old, fresh] = [join(root, 'old'), join(root, 'new')]
    const table = await compare(old, fresh)
    expect(table).toMatchObject({ exitCode: 0, stderr: '' })
    expect(table.stdout).toMatch(/^Worse at level 4: unit lag p50 \d+ → \d+ ms \(\+100, 95% /)
    expect(table.stdout).toContain('│ unit lag p95')
    expect(await compare(old, fresh, '--fail-on', 'worse')).toMatchObject({ exitCode: 1 })
    expect(await compare(fresh, old, '--fail-on', 'worse')).toMatchObject({ exitCode: 0 })
    expect((await compare(fresh, old)).stdout).toMatch(/^Better at level 4: /)
    const tolerant = await compare(old, fresh, '--fail-on', 'worse', '--threshold', 'unit_lag=200ms', '--json')
    expect(tolerant.exitCode).toBe(0)
    expect(JSON.parse(tolerant.stdout)).toMatchObject({
      schema: 'floorload.comparison/1',
      verdict: 'no difference shown',
      thresholds: { unit_lag: { absolute: 0.2, relative: 0 } },
    })
  })

  it('writes JSON, and Markdown beside it, without a path of this machine', async () => {
    const root = await folders({ old: levelFiles(200), new: levelFiles(200) })
    const file = join(root, 'out', 'comparison.json')
    const { exitCode, stdout } = await compare(join(root, 'old'), join(root, 'new'), '--output', file, '--json')
    expect(exitCode).toBe(0)
    const json = await readFile(file, 'utf8')
    expect(stdout).toBe(json)
    const markdown = await readFile(join(root, 'out', 'COMPARISON.md'), 'utf8')
    expect(markdown).toContain('**No difference shown in 7 comparisons.**')
    expect(json + markdown).not.toContain(root)
  })

  it('takes sweeps: matches their levels, leaves out what is no finished level', async () => {
    const sweep = (lagMs: number, cpu: string, levels: readonly number[]): Record<string, FileTree> => ({
      '.': { 'sweep.json': { ...SWEEP, profile: PROFILE, host: { ...SWEEP.host, cpu_model: cpu } } },
      warmup: levelFiles(lagMs, { concurrency: 1 }),
      ...Object.fromEntries(levels.map((level) => [`concurrency-${level}`, levelFiles(lagMs, { concurrency: level })])),
      'concurrency-16': levelFiles(lagMs, { concurrency: 16, books: { status: 'interrupted' } }),
    })
    const [old, fresh] = [await folders(sweep(200, 'one', [2, 4])), await folders(sweep(300, 'two', [4, 8]))]
    const { exitCode, stdout, stderr } = await compare(old, fresh, '--json')
    expect(exitCode).toBe(0)
    expect(stderr.match(/concurrency-16 was interrupted and is left out/g)).toHaveLength(2)
    const { levels, unmatched, warnings, verdict } = JSON.parse(stdout)
    expect(levels.map(({ concurrency }: { concurrency: number }) => concurrency)).toEqual([4])
    expect(unmatched).toHaveLength(2)
    expect(verdict).toBe('worse')
    expect(warnings).toEqual(['machine of the load client: 2 x one, linux x64 in OLD, 2 x two, linux x64 in NEW'])
  })

  it('exits 3 where nothing compares, and says what differs', async () => {
    const root = await folders({ old: levelFiles(200), new: levelFiles(200, { load: { policy: 'aligned' } }) })
    expect(await compare(join(root, 'old'), join(root, 'new'), '--fail-on', 'worse')).toMatchObject({
      exitCode: 3,
      stdout: expect.stringMatching(/^Not comparable: start policy: pool in OLD, aligned in NEW\./),
    })
  })

  it.each([
    { name: 'a serving.json', old: 'old/manifest.json', message: /is a file; .* \[USAGE\]$/ },
    { name: 'no such folder', old: 'nowhere', message: /nowhere does not exist \[FILE_UNREADABLE\]$/ },
    { name: 'an empty folder', old: 'empty', message: /has no manifest\.json.* \[RUN_UNREADABLE\]$/ },
    { name: 'a broken sweep.json', old: 'broken', message: /holds no finished level \[RUN_UNREADABLE\]$/ },
    {
      name: 'another profile',
      old: 'other',
      message: /profile personaplex-native and NEW with minicpmo-native \[NOT_COMPARABLE\]$/,
    },
    { name: 'a threshold of nothing', flags: ['--threshold', 'x=1'], message: /"x" is no metric .* \[USAGE\]$/ },
    {
      name: 'another verdict',
      flags: ['--fail-on', 'better'],
      message: /it must be "worse" \[commander\.invalidArgument\]$/,
    },
    {
      name: 'the Markdown as result',
      flags: ['--output', 'COMPARISON.md'],
      message: /written beside the result \[USAGE\]$/,
    },
    { name: 'broken scores', old: 'scored/run', message: /the scores are malformed: .* \[RESULT_UNREADABLE\]$/ },
  ])('refuses $name', async ({ old = 'old', flags = [], message }) => {
    const root = await folders({
      old: levelFiles(200),
      empty: { 'x/y': '' },
      broken: { 'sweep.json': '{' },
      other: levelFiles(200, { manifest: { profile: 'personaplex-native' } }),
      'scored/run': levelFiles(200),
      'scored/quality/run': { 'unified.json': '{}', 'unified-samples.jsonl': '' },
    })
    const output = join(root, 'result.json')
    const { exitCode, stdout, stderr } = await compare(join(root, old), join(root, 'old'), '--output', output, ...flags)
    expect(stderr).toMatch(message)
    expect([exitCode, stdout]).toEqual([undefined, ''])
    expect(existsSync(output)).toBe(false)
  })
})
