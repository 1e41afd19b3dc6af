import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { outputError, writeFileWhole } from '../../src/base/atomic-file.io.js'
import { assert, ERROR_CODES, type ErrorCode, EXIT, messageOf, UserError } from '../../src/base/errors.js'
import { folderWith } from '../helpers/temp-folders.js'

describe('error codes', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('%s exits neither as a success nor as a missed gate', (code) => {
    const { exitCode } = new UserError({ code, message: 'x' })
    expect(Object.values(EXIT)).toContain(exitCode)
    expect([EXIT.ok, EXIT.gateMissed, EXIT.bug, EXIT.interrupted]).not.toContain(exitCode)
  })

  it('exit codes are all different', () => {
    expect(new Set(Object.values(EXIT)).size).toBe(Object.keys(EXIT).length)
  })

  it('a user error keeps its cause, its place and its fix', () => {
    const cause = new Error('ENOENT')
    const error = new UserError({ code: 'USAGE', message: 'no such flag', at: '--levle', fix: '--level', cause })
    expect(error).toMatchObject({
      name: 'UserError',
      code: 'USAGE',
      message: 'no such flag',
      at: '--levle',
      fix: '--level',
    })
    expect(error.cause).toBe(cause)
  })
})

describe('assert', () => {
  it('throws a plain error, which is a crash and never something the user did', () => {
    expect(() => assert(false, 'time ran back')).toThrow('assertion failed: time ran back')
    expect(() => assert(true, 'fine')).not.toThrow()
  })
})

describe('the message of anything thrown', () => {
  it.each([
    { thrown: new Error('plain'), text: 'plain' },
    { thrown: new TypeError(''), text: 'TypeError' },
    { thrown: new Error('two\n  lines'), text: 'two lines' },
    { thrown: 'text', text: 'text' },
    { thrown: undefined, text: 'undefined' },
  ])('is one line: $text', ({ thrown, text }) => {
    expect(messageOf(thrown)).toBe(text)
  })
})

describe('a failed write', () => {
  it.each([
    { code: 'ENOSPC', expected: 'DISK_FULL' },
    { code: 'EDQUOT', expected: 'DISK_FULL' },
    { code: 'EACCES', expected: 'OUTPUT_UNWRITABLE' },
    { code: undefined, expected: 'OUTPUT_UNWRITABLE' },
  ])('with $code is $expected and names the path', ({ code, expected }) => {
    const error = outputError('out/serving.json', Object.assign(new Error('x'), { code }))
    expect(error.code).toBe(expected)
    expect(error.message).toContain('out/serving.json')
  })

  it('leaves neither the file nor its temporary name behind', async () => {
    const folder = await folderWith({ 'blocked/inside': 'a folder stands where the file should be' })
    await expect(writeFileWhole(`${folder}/blocked`, 'text')).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
    expect(await readdir(folder)).toEqual(['blocked'])
  })

  it('a good one makes its folder and replaces what was there', async () => {
    const folder = await folderWith({})
    await writeFileWhole(`${folder}/deep/er/file`, 'one')
    await writeFileWhole(`${folder}/deep/er/file`, 'two')
    expect(await readFile(`${folder}/deep/er/file`, 'utf8')).toBe('two')
    expect(await readdir(`${folder}/deep/er`)).toEqual(['file'])
  })
})
