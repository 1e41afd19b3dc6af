import { describe, expect, it } from 'vitest'
import { parseReceipts } from '../../src/capture/receipts.js'

const append = { event_id: 'a', seq: 0, scheduled_s: 593390.135901, start_s: 593390.135902, completed_s: 593390.136 }

describe('send receipts', () => {
  it('are read in whole microseconds', () => {
    expect(parseReceipts(JSON.stringify({ session_start_s: 593390.1359, appends: [append] }))).toEqual({
      startAtUs: 593_390_135_900,
      packets: [
        {
          seq: 0,
          eventId: 'a',
          dueAtUs: 593_390_135_901,
          sendStartAtUs: 593_390_135_902,
          sendDoneAtUs: 593_390_136_000,
        },
      ],
    })
  })

  it.each([
    { name: 'null', fields: { event_id: null, scheduled_s: null, completed_s: null } },
    { name: 'absent', fields: { event_id: undefined, scheduled_s: undefined, completed_s: undefined } },
  ])('may lack what older recorders did not write: $name', ({ fields }) => {
    expect(parseReceipts(JSON.stringify({ appends: [{ ...append, ...fields }] }))).toEqual({
      startAtUs: undefined,
      packets: [
        { seq: 0, eventId: undefined, dueAtUs: undefined, sendStartAtUs: 593_390_135_902, sendDoneAtUs: undefined },
      ],
    })
  })

  it('may have fields of other recorders', () => {
    expect(parseReceipts(JSON.stringify({ version: 2, appends: [{ ...append, bytes: 2560 }] }))).toHaveProperty(
      'packets',
    )
  })

  it('may be empty', () => {
    expect(parseReceipts('{"appends":[]}')).toEqual({ startAtUs: undefined, packets: [] })
  })

  it.each([
    { name: 'half a file', text: '{"appends":[', problem: 'is not valid JSON' },
    { name: 'nothing', text: '', problem: 'is not valid JSON' },
    { name: 'no list of appends', text: '{}', problem: 'appends: ' },
    { name: 'a list at the top', text: '[]', problem: 'the file: ' },
    {
      name: 'no start of a send',
      text: JSON.stringify({ appends: [{ ...append, start_s: undefined }] }),
      problem: 'appends.0.start_s',
    },
    {
      name: 'a negative time',
      text: JSON.stringify({ appends: [{ ...append, start_s: -1 }] }),
      problem: 'appends.0.start_s',
    },
    {
      name: 'a time as text',
      text: JSON.stringify({ appends: [append, { ...append, completed_s: '1' }] }),
      problem: 'appends.1.completed_s',
    },
    {
      name: 'a seq with a fraction',
      text: JSON.stringify({ appends: [{ ...append, seq: 0.5 }] }),
      problem: 'appends.0.seq',
    },
    { name: 'a negative seq', text: JSON.stringify({ appends: [{ ...append, seq: -1 }] }), problem: 'appends.0.seq' },
  ])('are refused with the place of the fault: $name', ({ text, problem }) => {
    const parsed = parseReceipts(text)
    expect('problem' in parsed && parsed.problem).toContain(problem)
  })
})
