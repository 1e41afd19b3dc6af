/** The command as a user runs it: what it prints, writes and refuses. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../../helpers/command-line.js'
import { folderWith } from '../../helpers/temp-folders.js'
import { CUT_IN, MANIFEST, SAMPLES, sha256Of, silence, treeWith } from './tree-builder.js'

it('scores a tree into the same bytes twice, and prints the official column where the inputs are the same', async () => {
  const tree = await treeWith({
    'summary.json': { manifest_sha256: sha256Of(MANIFEST), subsets: { candor_turn_taking: { takeover_rate: 0.25 } } },
  })
  const files = () => Promise.all(['unified.json', 'unified-samples.jsonl'].map((name) => readFile(join(tree, name))))
  const first = await runCommand('score', tree)
  expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('speech: silero') })
  expect(first.stdout).toContain('official, from summary.json: takeover_rate 0.25')
  const written = await files()
  expect((await runCommand('score', tree)).stdout).toBe(first.stdout)
  expect(await files()).toEqual(written)
  const json = await runCommand('score', tree, '--json')
  const { reference, ...result } = JSON.parse(json.stdout) as { reference: unknown }
  expect(result).toEqual(JSON.parse(String(written[0])))
  expect(reference).toMatchObject({ kind: 'figures' })
})

it('compares several sources of words', async () => {
  const tree = await treeWith({
    'synthetic_pause_handling/1/output.wav': silence(SAMPLES),
    'candor_turn_taking/7/output.wav': silence(SAMPLES),
  })
  const { exitCode, stdout } = await runCommand('score', tree, '--transcripts', 'tree', '--transcripts', 'vad')
  expect({ exitCode, differs: /outcome +│ 1 +│ 1 +│/.test(stdout) }).toEqual({ exitCode: 0, differs: true })
  expect((await readdir(join(tree, 'scores'))).sort()).toEqual(['tree', 'vad'])
})

it('refuses a bad tree with the sample and the problem, and writes nothing', async () => {
  const tree = await treeWith({ [`${CUT_IN}/output.wav`]: silence(SAMPLES - 1) })
  const { exitCode, stdout, stderr } = await runCommand('score', tree, '--speech-from', 'vad.json')
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toMatch(
    /^error: synthetic_user_interruption\/12: output\.wav holds 160000 samples.*\[TREE_INVALID\]\n$/,
  )
  expect((await readdir(tree)).filter((name) => name.startsWith('unified'))).toEqual([])
})

it.each<[string, readonly string[], RegExp]>([
  ['a recorded run', [], /is a recorded run.*floorload export/],
  ['a path for the speech file', ['--speech-from', '../vad.json'], /no file name.*\[USAGE\]/],
  ['an unknown source of words', ['--transcripts', 'wishes'], /no source of words.*\[USAGE\]/],
])('refuses %s', async (_, flags, message) => {
  const folder = await folderWith({ 'run.json': {}, 'manifest.json': {} })
  const { exitCode, stderr } = await runCommand('score', folder, ...flags)
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(message) })
})
