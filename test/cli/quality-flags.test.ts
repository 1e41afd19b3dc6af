import { describe, expect, it } from 'vitest'
import { qualitySettings, sweepWithQuality } from '../../src/cli/quality-flags.js'
import { sweepFileSchema } from '../../src/profile/sweep-file.js'

function sweep(quality: object, inputs: object = { kind: 'built-in' }) {
  return sweepFileSchema.parse({ schema: 'floorload.sweep/1', name: 'x', levels: [1], quality, inputs })
}

describe('the quality flags', () => {
  it('are nothing where quality was not asked for, and an error where they stand alone', () => {
    expect(qualitySettings(undefined, {})).toBeUndefined()
    expect(() => qualitySettings(undefined, { transcripts: 'vad' })).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining('needs --quality') }),
    )
  })

  it('lie over the settings of the sweep file', () => {
    const base = sweep({ margins: { stop_latency_s: 1 } }).quality
    expect(qualitySettings(base, { qualityMargin: ['pause_intrusion_rate=0.05', 'early_start_rate=none'] })).toEqual({
      transcripts: 'vad',
      margins: { stop_latency_s: 1, pause_intrusion_rate: 0.05, early_start_rate: null },
    })
  })

  it.each([
    { name: 'an unknown metric', flags: { qualityMargin: ['x=1'] } },
    { name: 'a negative margin', flags: { qualityMargin: ['stop_latency_s=-1'] } },
    { name: 'a share of one', flags: { qualityMargin: ['early_start_rate=1'] } },
    { name: 'an unknown source', flags: { transcripts: 'nobody' } },
    {
      name: 'no margin at all',
      flags: {
        qualityMargin: [
          'pause_intrusion_rate',
          'early_start_rate',
          'response_rate_2s',
          'response_latency_s',
          'stop_latency_s',
        ].map((metric) => `${metric}=none`),
      },
    },
  ])('refuse $name', ({ flags }) => {
    expect(() => qualitySettings(undefined, { quality: true, ...flags })).toThrow(
      expect.objectContaining({ code: 'USAGE' }),
    )
  })
})

describe('a sweep that is scored', () => {
  it('sends the labelled part of the built-in speech', () => {
    expect(sweepWithQuality(sweep({})).inputs).toEqual({ kind: 'built-in-turns' })
  })

  it.each([
    { name: 'audio without labels', quality: {}, inputs: { kind: 'audio', paths: ['x'] } },
    { name: 'pairs, which are scored otherwise', quality: {}, inputs: { kind: 'fdb-v1.5', root: 'x' } },
    { name: 'transcripts that nobody has made yet', quality: { transcripts: 'tree' } },
    { name: 'a secret, which would be stored', quality: { transcripts: 'openai:http://user:geheim@box/v1#m' } },
    { name: 'a key in the query', quality: { transcripts: 'openai:http://box/v1?key=geheim#m' } },
    { name: 'a key for a command', quality: { transcripts: 'command:asr --api-key geheim' } },
  ])('refuses $name', ({ quality, inputs }) => {
    const refused = () => sweepWithQuality(sweep(quality, inputs))
    expect(refused).toThrow(expect.objectContaining({ code: 'USAGE' }))
    expect(refused).not.toThrow(/geheim/)
  })

  it.each(['openai:http://box/v1?api-version=2#m', 'command:asr --model small {wav}', 'parakeet:models/v2'])(
    'takes %s',
    (transcripts) => {
      expect(sweepWithQuality(sweep({ transcripts })).quality?.transcripts).toBe(transcripts)
    },
  )
})
