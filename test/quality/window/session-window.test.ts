import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { PacketReceipt } from '../../../src/capture/receipts.js'
import { type SessionWindow, sessionWindow } from '../../../src/quality/window/session-window.js'
import { shippedProfile } from '../../helpers/measured-levels.js'
import { TraceDraft } from '../../helpers/trace-mutations.js'
import { INPUT_US, LEGACY, reasonsFor, type Spoiling, TURN_BASED, windowOf } from './windowed-sessions.js'

const APPEND = 'send input_audio_buffer.append'
const UPDATED = 'receive session.updated'
const RATE = 'session.audio.output.format.rate'

type Row = readonly [name: string, spoiling: Spoiling, reasons: readonly string[]]

const errorAt = (atUs: number) => event(atUs, { type: 'error', error: { code: 'odd', message: 'no' } })
const deltaAt = (atUs: number, delta = 'AQABAA==') => event(atUs, { type: 'response.output_audio.delta', delta })

function event(atUs: number, content: Record<string, unknown>, direction = 'receive'): Spoiling {
  return { plan: { extra: [{ atUs, direction, event: content }] } }
}

function receipt(index: number, changes: (packet: PacketReceipt) => Partial<PacketReceipt>): Spoiling {
  return {
    recording: ({ receipts }) => ({
      receipts: {
        startAtUs: undefined,
        packets: (receipts?.packets ?? []).map((packet, at) =>
          at === index ? { ...packet, ...changes(packet) } : packet,
        ),
      },
    }),
  }
}

const withoutReceipts: Spoiling['recording'] = () => ({ receipts: undefined })

describe('a session has a window, or every reason why not', () => {
  it.each<Row>([
    ['nothing is wrong', {}, []],
    ['turn-based', { plan: { profile: TURN_BASED } }, []],
    ['legacy, which states no output rate', { plan: { profile: LEGACY } }, []],
    // 1
    [
      'no trace',
      { recording: () => ({ lines: [], receipts: undefined, fileProblems: ['continuous.jsonl is missing'] }) },
      ['file_missing', 'packet_count', 'input_differs', 'output_rate'],
    ],
    [
      'no input',
      { recording: () => ({ inputPcm: undefined, fileProblems: ['input.pcm is missing'] }), windowSamples: 16_000 },
      ['file_missing'],
    ],
    [
      'odd input',
      {
        recording: () => ({
          inputPcm: new Uint8Array(31_999),
          fileProblems: ['input.pcm has an odd number of bytes (31999)'],
        }),
      },
      ['input_invalid'],
    ],
    ['a window longer than the input', { windowSamples: 16_001, plan: { inputSamples: 16_000 } }, ['input_invalid']],
    // 2
    ['a line that is no record', { trace: (draft) => draft.appendText('{"direction"\n') }, ['trace_unreadable']],
    [
      'a clock value that is none',
      { trace: (draft) => draft.replaceText(UPDATED, '"time_s":', '"time_s":-') },
      ['trace_unreadable', 'output_rate'],
    ],
    [
      'a clock that goes back',
      { trace: (draft) => draft.setTime('receive sglang.input_audio.ended', 593_390) },
      ['clock_goes_back'],
    ],
    // 3
    [
      'a packet too few',
      { trace: (draft) => draft.remove(`${APPEND}#last`), recording: withoutReceipts },
      ['packet_count', 'input_differs'],
    ],
    ['no seq', { trace: (draft) => draft.set(`${APPEND}#3`, 'sglang.seq', undefined) }, ['packet_fields']],
    [
      'no t_start_ms',
      { trace: (draft) => draft.set(`${APPEND}#3`, 'sglang.t_start_ms', undefined) },
      ['packet_fields'],
    ],
    [
      't_start_ms off',
      { trace: (draft) => draft.set(`${APPEND}#3`, 'sglang.t_start_ms', 240 + 1e-8) },
      ['packet_fields'],
    ],
    ['t_start_ms off by less', { trace: (draft) => draft.set(`${APPEND}#3`, 'sglang.t_start_ms', 240 + 1e-10) }, []],
    [
      'other audio',
      { trace: (draft) => draft.set(`${APPEND}#3`, 'audio', Buffer.alloc(2560).toString('base64')) },
      ['input_differs'],
    ],
    // 4
    ['no event id', { trace: (draft) => draft.set(UPDATED, 'event_id', undefined) }, ['event_id']],
    ['a repeated event id', { trace: (draft) => draft.set(UPDATED, 'event_id', 'server_created') }, ['event_id']],
    [
      'one after the window',
      { trace: (draft) => draft.set('receive session.closed', 'event_id', 'server_created') },
      [],
    ],
    [
      'a packet without one, whenever it left',
      {
        plan: { lateUs: { 12: 60_000 } },
        trace: (draft) => draft.set(`${APPEND}#12`, 'event_id', undefined),
        recording: ({ receipts }) => ({
          receipts: {
            startAtUs: undefined,
            packets: (receipts?.packets ?? []).map((packet) =>
              packet.seq === 12 ? { ...packet, eventId: undefined } : packet,
            ),
          },
        }),
      },
      ['event_id'],
    ],
    // 5
    ['a packet 80 ms late', { plan: { lateUs: { 12: 80_000 } } }, []],
    ['a packet later', { plan: { lateUs: { 12: 80_001 } } }, ['pacing']],
    // 6
    [
      'receipts missing',
      { recording: () => ({ receipts: undefined, fileProblems: ['input-send-receipts.json is missing'] }) },
      ['receipts_missing'],
    ],
    [
      'receipts unreadable',
      { recording: () => ({ receipts: undefined, fileProblems: ['input-send-receipts.json is not valid JSON'] }) },
      ['receipts_missing'],
    ],
    ['another id', receipt(2, () => ({ eventId: 'other' })), ['receipts_differ']],
    ['a receipt without an id', receipt(2, () => ({ eventId: undefined })), ['receipts_differ']],
    [
      'a seq that is a text',
      { trace: (draft) => draft.set(`${APPEND}#3`, 'sglang.seq', '3') },
      ['packet_fields', 'receipts_differ'],
    ],
    ['another seq', receipt(2, () => ({ seq: 7 })), ['receipts_differ']],
    ['another start', receipt(2, ({ sendStartAtUs }) => ({ sendStartAtUs: sendStartAtUs + 1 })), ['receipts_differ']],
    [
      'a completion before its start',
      receipt(2, ({ sendStartAtUs }) => ({ sendDoneAtUs: sendStartAtUs - 1 })),
      ['receipts_differ'],
    ],
    ['no completion', receipt(2, () => ({ sendDoneAtUs: undefined })), ['send_not_completed']],
    [
      'a completion 80 ms after the end',
      receipt(12, ({ sendStartAtUs }) => ({ sendDoneAtUs: sendStartAtUs + 120_000 })),
      [],
    ],
    [
      'a completion later',
      receipt(12, ({ sendStartAtUs }) => ({ sendDoneAtUs: sendStartAtUs + 120_001 })),
      ['send_completed_late'],
    ],
    // 7
    ['the last packet at T', { plan: { lateUs: { 12: 40_000 } }, recording: withoutReceipts }, []],
    [
      'the last packet after T',
      { plan: { lateUs: { 12: 40_001 } }, recording: withoutReceipts },
      ['append_after_window'],
    ],
    // 8
    ['an error before the first packet', errorAt(-1000), ['error_in_window']],
    ['an error at T', errorAt(INPUT_US), ['error_in_window']],
    ['an error after T', errorAt(INPUT_US + 1), []],
    ['a client error', event(500_000, { message: 'TimeoutError: 90 s' }, 'error'), ['error_in_window']],
    // 9
    ['closed at T', event(INPUT_US, { type: 'session.closed' }), ['closed_in_window']],
    // 10
    ['audio before the first packet', deltaAt(-1), ['audio_before_input']],
    ['no output rate', { trace: (draft) => draft.set(UPDATED, RATE, undefined) }, ['output_rate']],
    ['an output rate that is none', { trace: (draft) => draft.set(UPDATED, RATE, 1e12) }, ['output_rate']],
    [
      'another output rate later',
      event(100_000, { type: 'session.updated', session: { audio: { output: { format: { rate: 16_000 } } } } }),
      ['output_rate'],
    ],
    ['audio that is none', deltaAt(100_000, 'AA'), ['audio_undecodable']],
    ['audio that is none after T', deltaAt(INPUT_US + 1, 'AA'), []],
    // 11
    [
      'nothing after T',
      {
        trace: (draft) => {
          for (const type of ['sglang.unit.done', 'sglang.input_audio.ended', 'sglang.input_audio.drained'])
            draft.removeAll(`receive ${type}`)
          draft.removeAll('receive session.closed')
        },
      },
      ['nothing_after_window'],
    ],
    // 12
    ['a late violation', event(INPUT_US + 500, { type: 'unheard.of' }), []],
    [
      'a late violation, turn-based',
      { plan: { profile: TURN_BASED, extra: errorAt(INPUT_US + 500).plan?.extra ?? [] } },
      ['protocol_verdict'],
    ],
    [
      'a late violation, legacy',
      { plan: { profile: LEGACY, extra: errorAt(INPUT_US + 500).plan?.extra ?? [] } },
      ['protocol_verdict'],
    ],
    [
      'several at once, in their order',
      {
        plan: {
          lateUs: { 12: 90_000 },
          extra: [...(errorAt(9000).plan?.extra ?? []), ...(deltaAt(-1).plan?.extra ?? [])],
        },
        trace: (draft) => draft.appendText('?\n'),
      },
      ['trace_unreadable', 'pacing', 'error_in_window', 'audio_before_input'],
    ],
  ])('%s', (_, spoiling, reasons) => {
    expect(reasonsFor(spoiling)).toEqual(reasons)
  })

  it('a reason is listed once, with the first of what it is about', () => {
    const made = windowOf({ plan: { lateUs: { 11: 80_001, 12: 80_002 } } })
    expect(made).toMatchObject({
      ok: false,
      reasons: [{ code: 'pacing', detail: 'packet 11 left 0.080001 s off its schedule (and 1 more)' }],
    })
  })
})

describe('the verdict of protocols that have no receipts of units', () => {
  it('openai: must pass, whenever the violation happened', () => {
    const made = windowOfExample('openai-ga', {
      profile: 'openai-realtime',
      windowSamples: 6400,
      change: (draft) => draft.set('receive response.done#last', 'type', 'response.gone'),
    })
    expect(codesOf(made)).toEqual(['protocol_verdict'])
  })

  it('vllm: sent in chunks of 200 ms, it has too few packets', () => {
    const made = windowOfExample('vllm-duplex', { profile: 'vllm-duplex' })
    expect(codesOf(made)).toContain('packet_count')
  })
})

function codesOf(made: SessionWindow): string[] {
  return made.ok ? [] : made.reasons.map(({ code }) => code)
}

describe('recorded examples', () => {
  it.for<readonly [file: string, profile: string, windowSamples?: number]>([
    ['native-personaplex', 'personaplex-native'],
    ['native-nemotron', 'nemotron-voicechat'],
    ['turn-based', 'turn-based'],
    ['legacy-half-duplex', 'qwen3-omni-half-duplex'],
    // The rest of the input is silence that the client appended.
    ['openai-ga', 'openai-realtime', 6400],
  ])('%s has a window with the reply in it', ([file, profile, windowSamples]) => {
    const made = windowOfExample(file, { profile, windowSamples })
    expect(made).toMatchObject({ ok: true })
    const sound = made.ok ? made.window.pcm.filter((sample) => sample !== 0).length : 0
    expect(sound).toBeGreaterThan(0)
  })
})

function windowOfExample(
  file: string,
  options: {
    readonly profile: string
    readonly windowSamples?: number | undefined
    readonly change?: (draft: TraceDraft) => void
  },
): SessionWindow {
  const path = new URL(`../../vectors/protocol-examples/${file}.jsonl`, import.meta.url)
  const draft = new TraceDraft(readFileSync(path, 'utf8'))
  options.change?.(draft)
  const lines = draft.toLines()
  const sent = lines.flatMap((line) =>
    line.ok && line.direction === 'send' && typeof line.event.audio === 'string'
      ? [Buffer.from(line.event.audio, 'base64')]
      : [],
  )
  return sessionWindow({
    recording: {
      name: file,
      lines,
      receipts: undefined,
      inputPcm: Buffer.concat(sent),
      declaredInputSamples: undefined,
      fileProblems: [],
    },
    profile: shippedProfile(options.profile),
    windowSamples: options.windowSamples,
    admissionRetryLimit: 3,
    bookReasons: [],
  })
}
