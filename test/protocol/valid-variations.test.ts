import { describe, expect, it } from 'vitest'
import type { Profile } from '../../src/profile/profile.js'
import { judgeSession } from '../../src/protocol/judge.js'
import type { Verdict } from '../../src/protocol/verdict.js'
import { audioOfSamples, type TraceDraft } from '../helpers/trace-mutations.js'
import { type BaseName, draftOf, judgeDraft, profileOf } from './fixtures.js'

const APPEND = 'send input_audio_buffer.append'
const ACCEPTED = 'receive sglang.input_audio.accepted'
const UPDATED = 'receive session.updated'
const DRAINED = 'receive sglang.input_audio.drained'
const AUDIO = 'receive response.output_audio.delta'
const DONE = 'receive response.done'
const GRANTED = 'session.sglang.granted'

interface Variation {
  readonly name: string
  readonly base: BaseName
  readonly vary: (trace: TraceDraft) => TraceDraft
  readonly admissionRetryLimit?: number
}

const VARIATIONS: readonly Variation[] = [
  {
    name: 'a start within a ten-millionth of a millisecond',
    base: 'minicpmo',
    vary: (t) => t.set(`${APPEND}#1`, 'sglang.t_start_ms', 80.00000005),
  },
  { name: 'packets without a start', base: 'legacy', vary: (t) => t.set(APPEND, 'sglang.t_start_ms', undefined) },
  {
    name: 'a rounded millisecond at 24 kHz',
    base: 'personaplex',
    vary: (t) => t.set(`${ACCEPTED}#2`, 'accepted_end_ms', 240.0000009),
  },
  {
    name: 'one empty unit after whole units',
    base: 'whole',
    vary: (t) =>
      t.insertBefore(DRAINED, 'receive', {
        type: 'sglang.unit.done',
        event_id: 'evt_empty',
        unit_id: 'unit_1',
        sglang: { unit_id: 'unit_1', media_time: { t_start_ms: 1000, duration_ms: 0 } },
      }),
  },
  {
    name: 'as many PersonaPlex frames as units',
    base: 'personaplex',
    vary: (t) => t.set(AUDIO, 'delta', audioOfSamples(1920)),
  },
  {
    name: 'the end of the input as a PersonaPlex reason',
    base: 'personaplex',
    vary: (t) => t.set(DONE, 'response.status_details.reason', 'input_audio_ended'),
  },
  {
    name: 'a server that truncates',
    base: 'minicpmo',
    vary: (t) => t.set(UPDATED, `${GRANTED}.supports_truncate`, true),
  },
  {
    name: 'text granted beside audio',
    base: 'minicpmo',
    vary: (t) => t.set(UPDATED, `${GRANTED}.output_modalities`, ['text', 'audio']),
  },
  {
    name: 'unknown fields, whatever they look like',
    base: 'minicpmo',
    vary: (t) =>
      t
        .set(DONE, 'extra', { seq: 'x', sglang: null, item_id: 0, t_ms: -1 })
        .set(UPDATED, `${GRANTED}.anything`, [null])
        .set(`${ACCEPTED}#0`, 'note', 0.5),
  },
  {
    name: 'a number with a fraction in an unknown field of a known name',
    base: 'minicpmo',
    vary: (t) => t.set(DONE, 'extra', { seq: 3 }).replaceText(DONE, '"seq":3', '"seq":3.0'),
  },
  {
    name: 'ids of null',
    base: 'minicpmo',
    vary: (t) => t.set('receive response.output_audio_transcript.delta', 'item_id', null),
  },
  {
    name: 'an id used by the client and by the server',
    base: 'turn',
    vary: (t) => t.set('receive session.created', 'event_id', 'c_update'),
  },
  {
    name: 'as many refusals as the run allows',
    base: 'nemotron',
    admissionRetryLimit: 1,
    vary: (t) => t,
  },
  {
    name: 'an empty turn without audio',
    base: 'turn',
    vary: (t) =>
      t
        .set(`${DONE}#last`, 'response.status_details.reason', 'empty_turn')
        .remove(`${AUDIO}#last`, 'receive response.output_audio.done#last'),
  },
  {
    name: 'reports on voiced text',
    base: 'turn',
    vary: (t) =>
      t.insertAfter(AUDIO, 'receive', {
        type: 'sglang.response.progress',
        event_id: 'evt_progress',
        text_end: 4,
        audio_ms: 100,
      }),
  },
  { name: 'a legacy reply still open at the end', base: 'legacy', vary: (t) => t.remove(`${DONE}#last`) },
  {
    name: 'a legacy reply cut at its length',
    base: 'legacy',
    vary: (t) => t.set(`${DONE}#last`, 'response.status_details.reason', 'length'),
  },
  ...[
    'input_audio_buffer.speech_started',
    'input_audio_buffer.speech_stopped',
    'input_audio_buffer.committed',
    'conversation.item.input_audio_transcription.delta',
    'conversation.item.input_audio_transcription.completed',
    'conversation.item.truncated',
  ].map((type) => ({
    name: `L8, a ${type} out of turn`,
    base: 'legacy' as const,
    vary: (t: TraceDraft) => t.insertAfter(UPDATED, 'receive', { type, event_id: 'evt_observed', item_id: 'item_x' }),
  })),
]

describe('a valid trace stays valid with', () => {
  for (const { name, base, vary, admissionRetryLimit } of VARIATIONS) {
    it(name, () => {
      const verdict = judgeDraft(base, vary(draftOf(base)), { admissionRetryLimit })
      expect(verdict).toEqual({ status: 'pass', violations: [], notes: [] })
    })
  }
})

describe('a continuous session', () => {
  const continuous: Profile = {
    ...profileOf('minicpmo'),
    output: { ...profileOf('minicpmo').output, continuous: true },
  }
  const judge = (draft: TraceDraft): Verdict =>
    judgeSession({ profile: continuous, lines: draft.toLines(), admissionRetryLimit: 3 })
  const replyAt = (packet: string) =>
    draftOf('minicpmo').moveBefore('receive response.created', packet).moveBefore(AUDIO, packet)

  it('is not exercised when all output came after all input', () => {
    expect(judge(draftOf('minicpmo'))).toEqual({ status: 'not_exercised', violations: [], notes: [] })
  })

  it('is not exercised when there was no output', () => {
    expect(judge(draftOf('whole')).status).toBe('not_exercised')
  })

  it('is not exercised when the last packet began at the very time of the first audio', () => {
    expect(judge(replyAt(`${APPEND}#last`)).status).toBe('not_exercised')
  })

  it('passes when a packet began strictly between the first and the last audio', () => {
    expect(judge(replyAt(`${APPEND}#11`)).status).toBe('pass')
  })

  it('fails, exercised or not, when a check is broken', () => {
    expect(judge(draftOf('minicpmo').set('receive session.closed', 'reason', 'disconnect')).status).toBe('fail')
  })
})

describe('a verdict', () => {
  it('lists violations in order of the trace, then of the checks, and what is missing last', () => {
    const draft = draftOf('minicpmo')
      .remove('receive session.closed')
      .set(`${ACCEPTED}#2`, 'seq', '2')
      .set('receive session.created', 'event_id', 7)
    const found = judgeDraft('minicpmo', draft).violations.map(({ check, line }) => [check, line])
    expect(found).toEqual([
      ['C4', 1],
      ['C7', 9],
      ['N12', 9],
      ['N9', undefined],
    ])
  })

  it('says what was found and what is required', () => {
    const messageOf = (name: string, path: string, value: unknown) =>
      judgeDraft('minicpmo', draftOf('minicpmo').set(name, path, value)).violations[0]?.message
    expect(messageOf(DRAINED, 'padding_ms', 0)).toBe('drained.padding_ms is 0; 960 is required for 1040 ms of input')
    expect(messageOf(UPDATED, `${GRANTED}.native_unit_ms`, 80)).toBe('granted.native_unit_ms is 80; required is 1000')
    expect(messageOf('receive session.closed', 'reason', null)).toBe(
      'reason of session.closed is null; "client_closed" is required',
    )
  })

  it('blames what is sent after a fatal error, and nothing that is sent after another one', () => {
    const messagesWith = (fatal: boolean) =>
      judgeDraft(
        'minicpmo',
        draftOf('minicpmo').insertBefore(DRAINED, 'receive', {
          type: 'error',
          event_id: 'evt_error',
          sglang: { fatal },
        }),
      ).violations.map(({ message }) => message)
    expect(messagesWith(false)).toEqual(['non-fatal error from the server: code absent, message absent'])
    expect(messagesWith(true)).toEqual([
      'fatal error from the server: code absent, message absent',
      '"session.close" was sent after the fatal error on line 42',
    ])
  })

  it('reports one gap in packets or units once', () => {
    const draft = draftOf('minicpmo')
    for (let packet = 5; packet < 13; packet += 1) {
      draft.set(`${APPEND}#${packet}`, 'sglang.seq', packet + 1).set(`${ACCEPTED}#${packet}`, 'seq', packet + 1)
    }
    expect(judgeDraft('minicpmo', draft).violations.map(({ check }) => check)).toEqual(['N3'])
  })
})
