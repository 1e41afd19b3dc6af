import { describe, expect, test } from 'vitest'
import { RECORD } from '../../src/capture/journal/journal-format.js'
import { parseReceipts } from '../../src/capture/receipts.js'
import { SessionStory } from '../../src/load/session-story.js'
import type { WirePackets } from '../../src/protocol/script.js'

const PACKETS = {
  frames: [Buffer.from('{"packet":0}'), Buffer.from('{"packet":1}')],
  eventIds: ['c_0', 'c_1'],
} as unknown as WirePackets

type Told = [kind: number, atUs: number, number?: number, body?: string]

function story(records: readonly Told[]) {
  const pieces: string[] = []
  const told = new SessionStory(PACKETS, (bytes) => pieces.push(bytes.toString('utf8')))
  for (const [kind, atUs, number = 0, body = ''] of records) told.tell(kind, atUs, number, Buffer.from(body))
  return {
    told,
    trace: () => {
      const bytes = told.finish()
      expect(bytes).toBe(Buffer.byteLength(pieces.join('')))
      return pieces.join('').split('\n')
    },
  }
}

const WHOLE: Told[] = [
  [RECORD.admission, 900_000, 0, '{"type":"connection_denied"}'],
  [RECORD.sent, 950_000, 0, '{"type":"session.update"}'],
  [RECORD.received, 960_000, 0, '{"type":"session.updated","text":"é 𝄞"}'],
  [RECORD.planned, 1_000_000],
  [RECORD.packetTaken, 1_000_050],
  [RECORD.packetSent, 1_000_010, 0],
  [RECORD.packetSent, 1_080_500, 1],
  [RECORD.received, 1_090_000, 0, '{\n "a":\r\n1}'],
  [RECORD.ended, 0, 0, '{"kind":"completed"}'],
]

describe('a session', () => {
  test('becomes its trace, in the order in which things happened', () => {
    const { trace, told } = story(WHOLE)
    expect(trace()).toEqual([
      '{"direction":"admission","time_s":0.9,"event":{"type":"connection_denied"}}',
      '{"direction":"send","time_s":0.95,"event":{"type":"session.update"}}',
      '{"direction":"receive","time_s":0.96,"event":{"type":"session.updated","text":"é 𝄞"}}',
      '{"direction":"send","time_s":1.00001,"event":{"packet":0}}',
      '{"direction":"send","time_s":1.0805,"event":{"packet":1}}',
      '{"direction":"receive","time_s":1.09,"event":{  "a": 1}}',
      '',
    ])
    expect(told.amendedEnd).toBeUndefined()
  })

  test('becomes its receipts; a packet that was never taken has no completion', () => {
    const { told } = story(WHOLE)
    expect(parseReceipts(told.receiptsText())).toEqual({
      startAtUs: 1_000_000,
      packets: [
        { seq: 0, eventId: 'c_0', dueAtUs: 1_000_000, sendStartAtUs: 1_000_010, sendDoneAtUs: 1_000_050 },
        { seq: 1, eventId: 'c_1', dueAtUs: 1_080_000, sendStartAtUs: 1_080_500, sendDoneAtUs: undefined },
      ],
    })
  })

  test('that never began leaves nothing', () => {
    expect(story([]).told.hasBegun).toBe(false)
  })

  test('of a sender that died ends with that cause, once', () => {
    const { told, trace } = story([[RECORD.sent, 1, 0, '{}']])
    const end = {
      outcome: { kind: 'sender_died' as const, message: 'the sending process died (SIGKILL)' },
      atUs: 2_000_000,
    }
    told.endBy(end)
    told.endBy(end)
    expect(trace().slice(1)).toEqual([
      '{"direction":"error","time_s":2,"event":{"message":"SenderDied: the sending process died (SIGKILL)"}}',
      '',
    ])
    expect(told.amendedEnd).toEqual(end)
  })

  test('that had ended before its sender died stays as it was', () => {
    const { told, trace } = story(WHOLE)
    told.endBy({ outcome: { kind: 'sender_died', message: '' }, atUs: 2_000_000 })
    expect(trace()).toHaveLength(7)
    expect(told.amendedEnd).toBeUndefined()
  })

  test.each([
    ['broken in the middle', '{"type":"sglang.unit.done",,"x":1}', '{"type":"sglang.unit.done",,"x":1}'],
    ['no object', '[1]', '[1]'],
    ['over several lines', '{"type":\n "x" "y"}', '{"type": "x" "y"}'],
  ])('ends at a message that is %s, as when it was parsed on arrival', (_name, message, excerpt) => {
    const { told, trace } = story([
      [RECORD.planned, 1_000_000],
      [RECORD.packetSent, 1_000_000, 0],
      [RECORD.received, 1_050_000, 0, message],
      [RECORD.packetSent, 1_080_000, 1],
      [RECORD.ended, 0, 0, '{"kind":"completed"}'],
    ])
    const lines = trace()
    expect(lines).toHaveLength(3)
    expect(JSON.parse(lines[1] ?? '')).toEqual({
      direction: 'error',
      time_s: 1.05,
      event: { message: `UndecodableFrame: the server sent a frame that is no JSON object: ${excerpt}` },
    })
    expect(told.amendedEnd?.outcome.kind).toBe('undecodable')
    expect(parseReceipts(told.receiptsText())).toMatchObject({ packets: [{ seq: 0 }] })
  })

  test('keeps messages longer than what is gathered at a time', () => {
    const long = `{"delta":"${'A'.repeat(200_000)}"}`
    const { trace } = story([
      [RECORD.sent, 1, 0, '{}'],
      [RECORD.received, 2, 0, long],
      [RECORD.sent, 3, 0, '{}'],
    ])
    expect(trace()[1]).toBe(`{"direction":"receive","time_s":0.000002,"event":${long}}`)
  })
})
