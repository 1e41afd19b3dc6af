import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  ensureOutputIsFree,
  ensureRoom,
  isLevelComplete,
  readSweepManifest,
  removeFolder,
} from '../../src/sweep/output-folder.io.js'
import { folderWith, temporaryFolder } from '../helpers/temp-folders.js'

describe('the output folder', () => {
  it('is free when it is not there, or empty', async () => {
    const root = await temporaryFolder()
    await expect(ensureOutputIsFree(join(root, 'new'))).resolves.toBeUndefined()
    await expect(ensureOutputIsFree(root)).resolves.toBeUndefined()
  })

  it.each([
    { name: 'another sweep can be gone on with', files: { 'sweep.json': {} }, fix: '--resume' },
    { name: 'other files cannot', files: { 'thesis.tex': '' }, fix: 'choose another --output' },
  ])('is taken by anything in it: $name', async ({ files, fix }) => {
    const refusal = await ensureOutputIsFree(await folderWith(files)).catch((thrown: unknown) => thrown)
    expect(refusal).toMatchObject({ code: 'OUTPUT_EXISTS', fix: expect.stringContaining(fix) })
  })

  it('cannot be a file', async () => {
    const folder = await folderWith({ file: '' })
    await expect(ensureOutputIsFree(join(folder, 'file'))).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
  })

  it('needs room before anything is written, also where it is not there yet', async () => {
    const folder = join(await temporaryFolder(), 'not', 'yet')
    await expect(ensureRoom(folder, 1)).resolves.toBeUndefined()
    await expect(ensureRoom(folder, 1e30)).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect(existsSync(folder)).toBe(false)
  })

  it('can be removed, and removed again', async () => {
    const folder = await folderWith({ 'a/b': '' })
    await removeFolder(folder)
    await removeFolder(folder)
    expect(existsSync(folder)).toBe(false)
  })
})

describe('the manifest of an earlier sweep', () => {
  const whole = {
    schema: 'floorload.sweep-run/1',
    tool_version: '1.0.0',
    config: { schema: 'floorload.sweep/1', name: 'mine', levels: [1] },
    profile: {
      schema: 'floorload.profile/1',
      name: 'mine',
      description: 'x',
      protocol: 'native',
      trace_format: 'x',
      unit_ms: 80,
      input: { sample_rate_hz: 16_000 },
      output: { sample_rate_hz: 16_000 },
    },
    server: { url: 'ws://h/', header_names: [] },
    inputs: [],
    levels: [{ concurrency: 1, repeat: 1, sessions: 2, run: 'concurrency-1' }],
    host: {},
    started_at: '2026-01-01T00:00:00.000Z',
  }

  it('is read with all it says', async () => {
    expect(await readSweepManifest(await folderWith({ 'sweep.json': whole }))).toMatchObject({ levels: whole.levels })
  })

  it.each([
    { name: 'missing', files: {} },
    { name: 'broken', files: { 'sweep.json': '{' } },
    { name: 'of another version', files: { 'sweep.json': { ...whole, schema: 'floorload.sweep-run/2' } } },
    { name: 'without its profile', files: { 'sweep.json': { ...whole, profile: undefined } } },
    { name: 'with a wrong configuration', files: { 'sweep.json': { ...whole, config: {} } } },
  ])('is refused when it is $name', async ({ files }) => {
    await expect(readSweepManifest(await folderWith(files))).rejects.toMatchObject({ code: 'RUN_UNREADABLE' })
  })
})

describe('a level is complete', () => {
  it.each([
    { name: 'when its books say so', files: { 'run.json': { status: 'complete' } }, expected: true },
    { name: 'not while it runs', files: { 'run.json': { status: 'running' } }, expected: false },
    { name: 'not when it was interrupted', files: { 'run.json': { status: 'interrupted' } }, expected: false },
    { name: 'not without books', files: {}, expected: false },
    { name: 'not with broken books', files: { 'run.json': '{"status":"comp' }, expected: false },
  ])('$name', async ({ files, expected }) => {
    expect(await isLevelComplete(await folderWith(files))).toBe(expected)
  })
})
