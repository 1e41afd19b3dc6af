import { describe, expect, it } from 'vitest'
import {
  commandName,
  endpointName,
  modelName,
  redactArguments,
} from '../../../src/quality/transcripts/recognizer-name.js'

describe('names of recognizers', () => {
  it.each([
    ['https://api.openai.com/v1/audio/transcriptions', 'whisper-1', 'whisper-1'],
    ['http://gpu:8000/v1/audio/transcriptions', 'Systran/faster-whisper-small', 'faster-whisper-small@gpu-8000'],
    ['http://gpu/v1/audio/transcriptions', '../..', '@gpu'],
  ])('%s %s', (url, model, name) => expect(endpointName(url, model)).toBe(name))

  it('a model folder without the words of its packagers', () => {
    expect(modelName('/models/sherpa-onnx-nemo-parakeet-tdt-0.6b-v2-int8')).toBe('parakeet-tdt-0.6b-v2-int8')
  })

  it('two settings of a command have two names', () => {
    expect(commandName('/opt/asr.sh', [])).toBe('asr')
    const names = [['--fast'], ['--exact']].map((args) => commandName('/opt/asr.sh', args))
    expect(names[0]).toMatch(/^asr-[0-9a-f]{6}$/)
    expect(names[0]).not.toBe(names[1])
  })

  it('masks what looks like a secret', () => {
    const args = ['--api-key', 'abc', '--token=def', '-v', 'http://u:p@host/x?sig=1', '--lang', 'en', 'KEY=ghi']
    expect(redactArguments(args)).toEqual([
      ...['--api-key', '***', '--token=***', '-v', 'http://***@host/x?sig=***', '--lang', 'en', 'KEY=***'],
    ])
  })
})
