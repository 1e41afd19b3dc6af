import { describe, expect, it } from 'vitest'
import { referenceColumn } from '../../../src/quality/unified/reference-column.js'

const OURS = { manifest_sha256: 'a'.repeat(64), asr_sha256: 'b'.repeat(64) }
const SUBSETS = ['candor_turn_taking', 'candor_pause_handling']
const FIGURES = { subsets: { candor_turn_taking: { results: { takeover_rate: 0.5, latency: 1.25 }, log: 'x' } } }

function columnOf(summary: object, hashes: Parameters<typeof referenceColumn>[1] = OURS) {
  return referenceColumn(JSON.stringify(summary), hashes, SUBSETS)
}

describe('figures of the same inputs', () => {
  it.each([
    ['at the top', { ...OURS, ...FIGURES }],
    ['under hashes', { hashes: OURS, ...FIGURES }],
    [
      'by file name',
      { inputs: { 'manifest.json': OURS.manifest_sha256, 'asr.json': { sha256: OURS.asr_sha256 } }, ...FIGURES },
    ],
  ])('with the hashes %s', (_, summary) => {
    expect(columnOf(summary)).toEqual({
      kind: 'figures',
      subsets: {
        candor_turn_taking: [
          { name: 'results.takeover_rate', value: 0.5 },
          { name: 'results.latency', value: 1.25 },
        ],
      },
      judge: null,
    })
  })

  it('name a judge that is not the official one', () => {
    expect(columnOf({ ...OURS, ...FIGURES, judge: { model: 'other', official: false } })).toMatchObject({
      judge: 'other',
    })
    expect(columnOf({ ...OURS, ...FIGURES, judge: { model: 'gpt', official: true } })).toMatchObject({ judge: null })
  })
})

describe('no column', () => {
  const other = 'c'.repeat(64)
  it.each<[string, object, RegExp]>([
    ['the manifest changed', { ...OURS, manifest_sha256: other, ...FIGURES }, /: manifest\.json changed since/],
    ['the transcripts changed', { ...OURS, asr_sha256: other, ...FIGURES }, /: asr\.json changed since/],
    ['both changed', { manifest_sha256: other, ...FIGURES }, /: manifest\.json and asr\.json changed since/],
    ['it names no inputs', FIGURES, /does not say which manifest\.json/],
    ['it has no figures', OURS, /no figures/],
  ])('%s', (_, summary, reason) => {
    expect(columnOf(summary)).toEqual({ kind: 'left_out', reason: expect.stringMatching(reason) })
  })

  it('is no JSON', () => {
    expect(referenceColumn('{', OURS, SUBSETS)).toMatchObject({ kind: 'left_out' })
  })
})
