import { describe, expect, it } from 'vitest'
import { splitCommand } from '../../../src/quality/transcripts/split-command.js'
import { parseTranscriptSpec, type TranscriptSpec } from '../../../src/quality/transcripts/transcript-spec.js'

const KEPT: [string, TranscriptSpec][] = [
  ['tree', { kind: 'tree', file: 'output.json' }],
  ['tree:output.whisper.json', { kind: 'tree', file: 'output.whisper.json' }],
  ['vad', { kind: 'vad' }],
  [
    'openai:http://127.0.0.1:8000/v1#whisper-1',
    { kind: 'openai', url: 'http://127.0.0.1:8000/v1/audio/transcriptions', model: 'whisper-1' },
  ],
  ['https://api.test/v1/', { kind: 'openai', url: 'https://api.test/v1/audio/transcriptions', model: null }],
  ['http://host:1', { kind: 'openai', url: 'http://host:1/v1/audio/transcriptions', model: null }],
  [
    'openai:https://host/v1/audio/transcriptions?api-version=2#org%2Fmodel',
    { kind: 'openai', url: 'https://host/v1/audio/transcriptions?api-version=2', model: 'org/model' },
  ],
  ['parakeet:models/a b', { kind: 'parakeet', directory: 'models/a b' }],
  [
    `command:./asr.sh --lang "en US" '{wav}'`,
    { kind: 'command', program: './asr.sh', arguments: ['--lang', 'en US', '{wav}'] },
  ],
]

const REFUSED: [string, RegExp][] = [
  ['', /is no source of words/],
  ['whisper', /"whisper" is no source of words/],
  ['whisper:large', /is no source of words/],
  ['tree:', /must name a file/],
  ['tree:../output.json', /without a folder/],
  ['tree:output.wav', /\.json/],
  ['openai:', /is no URL/],
  ['openai:ftp://host/v1', /must begin with http/],
  ['parakeet:', /names no model directory/],
  ['command:', /names no program/],
  ['command:asr "x', /not closed/],
]

describe('parseTranscriptSpec', () => {
  it.each(KEPT)('%s', (text, spec) => expect(parseTranscriptSpec(text)).toEqual(spec))

  it.each(REFUSED)('refuses %j', (text, message) => {
    expect(() => parseTranscriptSpec(text)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) }),
    )
  })

  it('does not show the password of a URL', () => {
    expect(() => parseTranscriptSpec('openai:ftp://me:hunter22@host/v1')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter22') }),
    )
  })
})

describe('splitCommand', () => {
  it.each([
    ['  a  b ', ['a', 'b']],
    [`a 'b "c' "d 'e"`, ['a', 'b "c', "d 'e"]],
    [String.raw`a\ b "c\"d\e" '\'`, ['a b', 'c"d\\e', '\\']],
    [`x"y z"w ''`, ['xy zw', '']],
    ['$HOME *.wav | ls', ['$HOME', '*.wav', '|', 'ls']],
    ['', []],
  ])('%j', (text, words) => expect(splitCommand(text)).toEqual({ ok: true, words }))

  it.each(['"a', "it's", 'a\\'])('refuses %j', (text) => expect(splitCommand(text).ok).toBe(false))
})
