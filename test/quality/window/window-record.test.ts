import { describe, expect, it } from 'vitest'
import { parseTrace } from '../../../src/capture/trace-record.js'
import type { ProtocolName } from '../../../src/profile/profile.js'
import { readWindowRecord } from '../../../src/quality/window/window-record.js'

const DELTA = 'AQABAA=='
const CANCELLED = { type: 'response.done', response: { id: 'r', status: 'cancelled' } }
const COMPLETED = { type: 'response.done', response: { id: 'r', status: 'completed' } }
const CLEARED = { type: 'output_audio_buffer.cleared', response_id: 'r' }
const SPEECH = { type: 'input_audio_buffer.speech_started' }
const INTERRUPTING = { turn_detection: { type: 'server_vad' } }
const POLITE = { turn_detection: { type: 'server_vad', interrupt_response: false } }

/** What of a reply is heard around an event. */
function heard(protocol: ProtocolName, event: object, session: object = INTERRUPTING): string[] {
  const type = protocol === 'legacy-half-duplex' ? 'response.audio.delta' : 'response.output_audio.delta'
  const delta = { direction: 'receive', event: { type, response_id: 'r', delta: DELTA } }
  const events = [
    { direction: 'send', event: { type: 'session.update', session } },
    { direction: 'receive', event: { type: 'response.created', response: { id: 'r' } } },
    delta,
    { direction: 'receive', event },
    delta,
  ]
  const lines = events.map((line, index) =>
    JSON.stringify({ ...line, time_s: index, event: { event_id: `${index}`, ...line.event } }),
  )
  return readWindowRecord(parseTrace(`${lines.join('\n')}\n`), protocol).playout.map(({ kind }) => kind)
}

const ALL = ['audio', 'audio']
const CUT = ['audio', 'cut', 'audio']
/** A client of these drops what is still on its way. */
const STOPPED = ['audio', 'cut']

describe('what cuts the audio that is queued', () => {
  it.for<readonly [ProtocolName, event: object, heard: readonly string[], session?: object]>([
    ['native', CANCELLED, ALL],
    ['native', CLEARED, ALL],
    ['native', SPEECH, ALL],
    ['turn-based', CANCELLED, CUT],
    ['turn-based', COMPLETED, ALL],
    ['turn-based', CLEARED, ALL],
    ['turn-based', SPEECH, ALL],
    ['legacy-half-duplex', CANCELLED, ALL],
    ['legacy-half-duplex', CLEARED, CUT],
    ['legacy-half-duplex', SPEECH, CUT],
    ['legacy-half-duplex', SPEECH, ALL, POLITE],
    ['openai-realtime', CANCELLED, ALL],
    ['openai-realtime', CLEARED, ALL],
    ['openai-realtime', SPEECH, STOPPED],
    ['openai-realtime', SPEECH, ALL, { audio: { input: POLITE } }],
    ['vllm-duplex', CANCELLED, STOPPED],
    ['vllm-duplex', CLEARED, STOPPED],
    ['vllm-duplex', { ...CLEARED, response_id: 'other' }, CUT],
    ['vllm-duplex', SPEECH, ALL],
  ])('%s, %o', ([protocol, event, expected, session]) => {
    expect(heard(protocol, event, session)).toEqual(expected)
  })
})
