/** Writes what a session does into the journal of its sender. */
import type { InstantUs } from '../base/clock.js'
import type { JournalFile } from '../capture/journal/journal-file.io.js'
import { RECORD, type RecordKind } from '../capture/journal/journal-format.js'
import type { SessionSink } from './session-ports.js'

const LINE_RECORD = { send: RECORD.sent, admission: RECORD.admission, error: RECORD.error } as const

/** @param session its number in the journal */
export function journalSink(journal: JournalFile, session: number): SessionSink {
  const text = (kind: RecordKind, atUs: InstantUs, json: string) => {
    const bytes = Buffer.from(json)
    return journal.append(kind, session, atUs, bytes, 0, bytes.length)
  }
  return {
    planned: (startAtUs) => {
      journal.note(RECORD.planned, session, startAtUs, 0)
    },
    packetSent: (index, startAtUs) => journal.note(RECORD.packetSent, session, startAtUs, index),
    packetTaken: (doneAtUs) => {
      journal.note(RECORD.packetTaken, session, doneAtUs, 0)
    },
    line: (direction, atUs, event) => text(LINE_RECORD[direction], atUs, event),
    received: (atUs, bytes, from, to) => journal.append(RECORD.received, session, atUs, bytes, from, to),
    finish: ({ outcome }) => {
      text(RECORD.ended, 0, JSON.stringify(outcome))
    },
  }
}
