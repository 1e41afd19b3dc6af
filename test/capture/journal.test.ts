import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JournalFile } from '../../src/capture/journal/journal-file.io.js'
import { JournalReader, RECORD, type RecordKind } from '../../src/capture/journal/journal-format.js'
import { temporaryFolder } from '../helpers/temp-folders.js'

type Told = [kind: number, session: number, atUs: number, number: number, body: string]

function readIn(pieces: readonly Buffer[]): { told: Told[]; cutBytes: number } {
  const told: Told[] = []
  const reader = new JournalReader({
    onRecord: (...record) => told.push([...record.slice(0, 4), String(record[4])] as Told),
  })
  for (const piece of pieces) reader.read(piece)
  return { told, cutBytes: reader.cutBytes }
}

const BODIES = [RECORD.sent, RECORD.received, RECORD.admission, RECORD.error, RECORD.ended] as const
const NOTES = [RECORD.planned, RECORD.packetSent, RECORD.packetTaken] as const

const record = fc.oneof(
  fc.record({
    kind: fc.constantFrom(...NOTES),
    session: fc.nat(0xffffffff),
    atUs: fc.nat(Number.MAX_SAFE_INTEGER),
    number: fc.nat(0xffffffff),
    body: fc.constant(''),
  }),
  fc.record({
    kind: fc.constantFrom(...BODIES),
    session: fc.nat(0xffffffff),
    atUs: fc.nat(Number.MAX_SAFE_INTEGER),
    number: fc.constant(0),
    // Some longer than the buffer of the journal.
    body: fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 250_000, max: 600_000 }).map((n) => 'x'.repeat(n)),
    ),
  }),
)

describe('a journal', () => {
  test('is read as it was written, wherever its bytes are cut', async () => {
    const folder = await temporaryFolder()
    const path = join(folder, 'sender-0.journal')
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), fc.array(fc.nat(700_000), { maxLength: 4 }), (records, cuts) => {
        rmSync(path, { force: true })
        const journal = new JournalFile(path)
        for (const { kind, session, atUs, number, body } of records) {
          const bytes = Buffer.from(`<${body}>`)
          if (body === '' && (NOTES as readonly RecordKind[]).includes(kind)) journal.note(kind, session, atUs, number)
          else journal.append(kind, session, atUs, bytes, 1, bytes.length - 1)
        }
        journal.close()
        const bytes = readFileSync(path)
        expect(bytes.length).toBe(journal.bytesWritten)
        const at = [...cuts.map((cut) => Math.min(cut, bytes.length)), 0, bytes.length].sort((a, b) => a - b)
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
        const expected = records.map(({ kind, session, atUs, number, body }) => [
          kind,
          session,
          atUs,
          (NOTES as readonly RecordKind[]).includes(kind) ? number : Buffer.byteLength(body),
          body,
        ])
        expect(readIn(pieces)).toEqual({ told: expected, cutBytes: 0 })
      }),
      { numRuns: 40 },
    )
  })

  test('that a death cut off yields its whole records', async () => {
    const path = join(await temporaryFolder(), 'sender-0.journal')
    const journal = new JournalFile(path)
    journal.note(RECORD.packetSent, 3, 1_000_000, 7)
    journal.append(RECORD.received, 3, 1_000_001, Buffer.from('{"type":"x"}'), 0, 12)
    journal.close()
    const bytes = readFileSync(path)
    expect(readIn([bytes.subarray(0, bytes.length - 1)])).toEqual({
      told: [[RECORD.packetSent, 3, 1_000_000, 7, '']],
      cutBytes: bytes.length - 18,
    })
  })

  test('takes nothing more once it is closed, and never an existing file', async () => {
    const path = join(await temporaryFolder(), 'sender-0.journal')
    const journal = new JournalFile(path)
    journal.close()
    journal.close()
    expect(journal.note(RECORD.packetSent, 0, 0, 0)).toBe(false)
    expect(existsSync(path)).toBe(true)
    expect(() => new JournalFile(path)).toThrow(/sender-0\.journal/)
  })
})
