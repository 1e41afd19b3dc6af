import { describe, expect, it } from 'vitest'
import {
  asrReceipt,
  isSameRecognizer,
  journalHead,
  journalLine,
  parseAsrReceipt,
  parseJournal,
  type TranscriptEntry,
} from '../../../src/quality/transcripts/asr-receipt.js'

const HASH = 'a'.repeat(64)
const RECOGNIZER = { kind: 'command', name: 'asr', details: { b: 1, a: { d: 2, c: 3 } } } as const
const ENTRY: TranscriptEntry = {
  audio_sha256: HASH,
  cut_s: 1.5,
  transcript_sha256: 'b'.repeat(64),
  words: 3,
  moved_words: 0,
}

describe('asr.json', () => {
  it('is read as it was written, and repeats the hashes in the shape of the field', () => {
    const written = asrReceipt({
      recognizer: RECOGNIZER,
      manifestSha256: HASH,
      samples: [
        ['s/1', ENTRY],
        ['s/2', ENTRY],
      ],
    })
    expect(written).toMatchObject({ subsets: { s: { transcripts: { 1: 'b'.repeat(64), 2: 'b'.repeat(64) } } } })
    const parsed = parseAsrReceipt(JSON.stringify(written))
    expect(parsed).toMatchObject({ ok: true, receipt: { recognizer: RECOGNIZER, manifestSha256: HASH } })
    expect(parsed.ok && parsed.receipt.entries.get('s/2')).toEqual(ENTRY)
  })

  it('of the field’s tool has hashes and a configuration', () => {
    const foreign = {
      created_utc: 'x',
      config: { model_id: 'nvidia/p' },
      subsets: { s: { task: 'default', transcripts: { 1: HASH } } },
    }
    const parsed = parseAsrReceipt(JSON.stringify(foreign))
    expect(parsed).toMatchObject({ ok: true, receipt: { recognizer: null, config: { model_id: 'nvidia/p' } } })
    expect(parsed.ok && [...parsed.receipt.transcriptSha256]).toEqual([['s/1', HASH]])
  })

  it.each([
    ['{', /valid JSON/],
    ['{}', /no receipt of transcripts: subsets/],
    ['{"schema":"floorload-asr","schema_version":2}', /schema_version/],
    ['{"subsets":{"s":{"transcripts":{"1":"abc"}}}}', /64 hexadecimal/],
  ])('refuses %s', (text, problem) => {
    expect(parseAsrReceipt(text)).toEqual({ ok: false, problem: expect.stringMatching(problem) })
  })

  it('two recognizers are the same when all that decides the words is equal, in whatever order', () => {
    expect(isSameRecognizer(RECOGNIZER, { details: { a: { c: 3, d: 2 }, b: 1 }, name: 'asr', kind: 'command' })).toBe(
      true,
    )
    expect(isSameRecognizer(RECOGNIZER, { ...RECOGNIZER, details: { ...RECOGNIZER.details, b: 2 } })).toBe(false)
  })
})

describe('the journal', () => {
  it('keeps whole lines and leaves out torn ones', () => {
    const text = `${journalHead(RECOGNIZER)}${journalLine('s/1', ENTRY)}${journalLine('s/2', ENTRY).slice(0, -9)}`
    expect(parseJournal(text)).toEqual({ recognizer: RECOGNIZER, entries: new Map([['s/1', ENTRY]]) })
  })

  it('is none where its first line is torn', () =>
    expect(parseJournal(journalHead(RECOGNIZER).slice(0, 20))).toBe(undefined))
})
