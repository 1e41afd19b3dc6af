import { describe, expect, it } from 'vitest'
import { parseReceipts, type SendReceipts } from '../../src/capture/receipts.js'
import { parseTrace } from '../../src/capture/trace-record.js'
import type { SessionFacts } from '../../src/metrics/session-facts.js'
import { LEGACY, measure, NATIVE, rowOf, shippedProfile, TURN_BASED } from '../helpers/measured-levels.js'
import { BuiltSession, deniedRecording, type SessionPlan } from '../helpers/session-builder.js'

function nativeFacts(plan: Partial<SessionPlan> & { readonly inputSamples: number }): SessionFacts {
  return measure(new BuiltSession({ profile: NATIVE, ...plan }).recording())
}

function lagsOf(facts: SessionFacts): (number | undefined)[] {
  return facts.units.map(({ lagUs }) => lagUs)
}

describe('units (docs/metrics.md, section 3)', () => {
  it('example 1: 2.5 s are 32 packets and 3 units, ready with packets 12 and 24 and at the end of the input', () => {
    // Each packet takes its own time, so that the packet a unit waited for can be told from its lag.
    const takesUs = Object.fromEntries(Array.from({ length: 32 }, (_, k) => [k, 1000 + k]))
    const session = new BuiltSession({
      profile: NATIVE,
      inputSamples: 40_000,
      takesUs,
      lagsUs: [400_000, 500_000, 300_000],
    })
    const facts = measure(session.recording())
    expect(facts.packetsSent).toBe(32)
    expect(facts.unitsExpected).toBe(3)
    const readyUs = facts.units.map(({ doneAtUs, lagUs }) => doneAtUs - (lagUs ?? 0) - session.t0Us)
    expect(readyUs).toEqual([12 * 80_000 + 1012, 24 * 80_000 + 1024, 2_500_000])
    expect(lagsOf(facts)).toEqual([400_000, 500_000, 300_000])
    expect(facts.hasSucceeded).toBe(true)
  })

  it('example 2: an input of two whole units has two units, and the empty third receipt is none', () => {
    const facts = nativeFacts({ inputSamples: 32_000, hasEmptyEndUnit: true })
    expect(facts.reasons).toEqual([])
    expect(facts.unitsExpected).toBe(2)
    expect(facts.units.map(({ unit }) => unit)).toEqual([0, 1])
  })

  it('example 3: lags of 0.4 s, 1 s and 1.001 s are one miss, since one unit length is in time', () => {
    const facts = nativeFacts({ inputSamples: 40_000, lagsUs: [400_000, 1_000_000, 1_001_000] })
    expect(facts.hasSucceeded).toBe(true)
    expect(rowOf([facts])).toMatchObject({ units_expected: 3, units_missed: 1, units_late_or_missing: 1 })
  })

  it.each([
    { lagUs: 999_999, missed: 0 },
    { lagUs: 1_000_000, missed: 0 },
    { lagUs: 1_000_001, missed: 1 },
  ])('a lag of $lagUs µs on a unit of 1 s is $missed miss', ({ lagUs, missed }) => {
    const facts = nativeFacts({ inputSamples: 16_000, lagsUs: [lagUs] })
    expect(lagsOf(facts)).toEqual([lagUs])
    expect(rowOf([facts]).units_missed).toBe(missed)
  })

  it.each([
    { samples: 1, units: 1 },
    { samples: 15_999, units: 1 },
    { samples: 16_000, units: 1 },
    { samples: 16_001, units: 2 },
    { samples: 48_000, units: 3 },
  ])('$samples samples of 16 kHz are $units units of 1 s', ({ samples, units }) => {
    expect(nativeFacts({ inputSamples: samples }).unitsExpected).toBe(units)
  })

  it('units of 80 ms are ready with one packet each, and counted in samples: 0.56 s are 7, not 8', () => {
    const profile = shippedProfile('nemotron-voicechat')
    const facts = measure(
      new BuiltSession({ profile, inputSamples: 8960, lagsUs: Array(7).fill(20_000) }).recording(),
      profile,
    )
    expect(facts.unitsExpected).toBe(7)
    expect(lagsOf(facts)).toEqual(Array(7).fill(20_000))
  })

  it('a short last unit counts from the end of the input, even when its last packet was handed over later', () => {
    const session = new BuiltSession({
      profile: NATIVE,
      inputSamples: 17_000,
      takesUs: { 13: 50_000 },
      lagsUs: [0, 70_000],
    })
    expect(lagsOf(measure(session.recording()))).toEqual([0, 70_000])
    expect(session.readyAtUs(1) - session.t0Us).toBe(1_062_500)
  })

  it('a receipt before its unit was ready keeps its negative lag', () => {
    expect(lagsOf(nativeFacts({ inputSamples: 16_000, lagsUs: [-50_000] }))).toEqual([-50_000])
  })

  it('a lost receipt fails its session, and then every unit of it is missed', () => {
    const facts = nativeFacts({ inputSamples: 48_000, lagsUs: [1000, null, 1000] })
    expect(facts.hasSucceeded).toBe(false)
    expect(facts.units.map(({ unit }) => unit)).toEqual([0, 2])
    const row = rowOf([facts])
    expect(row).toMatchObject({ units_expected: 3, units_missed: 3, units_late_or_missing: 1, units_completed: 2 })
    expect(row.unit_lag_s).toMatchObject({ n: 2, max: 0.001 })
  })

  it('a unit without its packet in the receipts has no lag and is missed', () => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 16_000 })
    const receipts = session.recording().receipts as SendReceipts
    const facts = measure(session.recording({ receipts: { ...receipts, packets: receipts.packets.slice(0, 5) } }))
    expect(lagsOf(facts)).toEqual([undefined])
    expect(rowOf([facts])).toMatchObject({ units_missed: 1, unit_lag_s: null, units_completed: 1 })
  })

  it('turn-based unit receipts are no units', () => {
    const facts = measure(new BuiltSession({ profile: TURN_BASED, inputSamples: 16_000 }).recording(), TURN_BASED)
    expect(facts).toMatchObject({ unitsExpected: null, units: [] })
  })
})

describe('speak units', () => {
  it.each([
    {
      name: 'a named delta marks its unit even after the unit was done',
      delta: { atUs: 2_500_000, unit: 0 },
      speak: [0],
    },
    { name: 'a delta without a name marks the unit in progress', delta: { atUs: 1_500_000 }, speak: [1] },
    { name: 'a delta without a name after the last unit marks none', delta: { atUs: 2_900_000 }, speak: [] },
  ])('$name', ({ delta, speak }) => {
    const facts = nativeFacts({ inputSamples: 32_000, replies: [{ createdAtUs: 1_400_000, deltas: [delta] }] })
    expect(facts.units.filter(({ isSpeak }) => isSpeak).map(({ unit }) => unit)).toEqual(speak)
  })

  it.each([
    { text: 'yes', speak: [1] },
    { text: '', speak: [] },
  ])('the text $text makes the units $speak speak', ({ text, speak }) => {
    const replies = [{ createdAtUs: 1_400_000, texts: [{ atUs: 1_500_000, text }] }]
    const facts = nativeFacts({ inputSamples: 32_000, replies })
    expect(facts.units.filter(({ isSpeak }) => isSpeak).map(({ unit }) => unit)).toEqual(speak)
    expect(facts.replies).toEqual([])
  })
})

describe('first audio (docs/metrics.md, section 4)', () => {
  // Units 0 and 1 of 2 s are ready at 960,100 µs and 1,920,100 µs after t0 and done 10 ms later.
  it.each([
    { name: 'counts from the unit that the delta names', unit: 0, atUs: 1_300_000, expected: 339_900 },
    {
      name: 'counts from the unit in progress at response.created',
      unit: undefined,
      atUs: 2_000_000,
      expected: 79_900,
    },
    { name: 'of an early reply is negative', unit: 1, atUs: 1_500_000, expected: -420_100 },
    { name: 'in the empty end unit counts from the end of the input', unit: 2, atUs: 2_300_000, expected: 300_000 },
  ])('$name', ({ unit, atUs, expected }) => {
    const delta = unit === undefined ? { atUs } : { atUs, unit }
    const facts = nativeFacts({ inputSamples: 32_000, replies: [{ createdAtUs: 1_200_000, deltas: [delta] }] })
    expect(facts.replies[0]?.firstAudioUs).toBe(expected)
  })

  it('only the first delta names the unit', () => {
    const deltas = [
      { atUs: 1_300_000, unit: 0 },
      { atUs: 1_400_000, unit: 1 },
    ]
    const facts = nativeFacts({ inputSamples: 32_000, replies: [{ createdAtUs: 1_200_000, deltas }] })
    expect(facts.replies[0]?.firstAudioUs).toBe(339_900)
  })

  it('turn-based counts from response.created', () => {
    const replies = [{ createdAtUs: 300_000, deltas: [{ atUs: 420_000 }] }]
    const session = new BuiltSession({ profile: TURN_BASED, inputSamples: 16_000, replies })
    expect(measure(session.recording(), TURN_BASED).replies[0]?.firstAudioUs).toBe(120_000)
  })

  it('a reply that was never created has no first audio where that is its origin', () => {
    const replies = [{ createdAtUs: 300_000, deltas: [{ atUs: 420_000 }] }]
    const session = new BuiltSession({ profile: TURN_BASED, inputSamples: 16_000, replies })
    const lines = session.draft().remove('receive response.created').toLines()
    const [reply] = measure(session.recording({ lines }), TURN_BASED).replies
    expect(reply).toMatchObject({ firstAudioUs: undefined, deltas: 1 })
  })
})

describe('replies', () => {
  /** Example 4 of docs/metrics.md: arrivals 0, 0.05, 0.30; each delta lasts 0.1 s. */
  const EXAMPLE = [{ atUs: 600_000 }, { atUs: 650_000 }, { atUs: 900_000 }]

  it.each([
    { reserveUs: 80_000, isUnderrun: 1, pausesUs: [20_000] },
    { reserveUs: 99_999, isUnderrun: 1, pausesUs: [1] },
    { reserveUs: 100_000, isUnderrun: 0, pausesUs: [] },
  ])('example 4: needs 0.1 s, so a reserve of $reserveUs µs has the pauses $pausesUs', (row) => {
    const session = new BuiltSession({
      profile: NATIVE,
      inputSamples: 16_000,
      replies: [{ createdAtUs: 500_000, deltas: EXAMPLE }],
    })
    const facts = measure(session.recording(), NATIVE, row.reserveUs)
    expect(facts.replies).toMatchObject([
      { bufferNeededUs: 100_000, pausesUs: row.pausesUs, realTimeFactor: undefined },
    ])
    expect(rowOf([facts], { reserveUs: row.reserveUs }).underrun_replies).toBe(row.isUnderrun)
  })

  it('example 5: the same reply of a turn-based server has the real-time factor 1.5', () => {
    const replies = [{ createdAtUs: 500_000, deltas: EXAMPLE }]
    const session = new BuiltSession({ profile: TURN_BASED, inputSamples: 16_000, replies })
    expect(measure(session.recording(), TURN_BASED).replies[0]?.realTimeFactor).toBe(1.5)
  })

  it('a reply of one delta has no real-time factor, and a text reply is no reply with audio', () => {
    const replies = [
      { createdAtUs: 300_000, deltas: [{ atUs: 420_000 }] },
      { createdAtUs: 500_000, texts: [{ atUs: 520_000, text: 'hm' }] },
    ]
    const session = new BuiltSession({ profile: TURN_BASED, inputSamples: 16_000, replies })
    const facts = measure(session.recording(), TURN_BASED)
    expect(facts.replies).toMatchObject([{ id: 'reply_0', realTimeFactor: undefined }])
    expect(rowOf([facts], { profile: TURN_BASED })).toMatchObject({ rtf: null, missed_targets: ['rtf_p90'] })
  })

  it('replies of a failed session stay in the figures', () => {
    const session = new BuiltSession({
      profile: NATIVE,
      inputSamples: 16_000,
      replies: [{ createdAtUs: 500_000, deltas: EXAMPLE }],
    })
    const lines = session.draft().remove('receive session.closed').toLines()
    const row = rowOf([measure(session.recording({ lines }))])
    expect(row).toMatchObject({ sessions_failed: 1, replies_with_audio: 1, underrun_count: 1, reply_s: 0.3 })
    expect(row.buffer_needed_s).toMatchObject({ n: 1, max: 0.1 })
  })
})

describe('a reply that the user cut (notes 22 and 23)', () => {
  const cut = { createdAtUs: 100_000, status: 'cancelled', reason: 'interrupted', doneAtUs: 250_000 } as const
  const speech = { atUs: 200_000, direction: 'receive', event: { type: 'input_audio_buffer.speech_started' } }
  const deltas = [{ atUs: 120_000 }, { atUs: 180_000 }, { atUs: 400_000 }]

  it('turn-based: counts up to its cancelled response.done; later audio only in the seconds received', () => {
    const session = new BuiltSession({
      profile: TURN_BASED,
      inputSamples: 16_000,
      extra: [speech],
      replies: [{ ...cut, deltas }],
    })
    const facts = measure(session.recording(), TURN_BASED)
    expect(facts.replies).toMatchObject([{ deltas: 2, isCut: true, bufferNeededUs: 0, realTimeFactor: 0.6 }])
    expect(facts.replyS).toBeCloseTo(0.3, 9)
  })

  it('a reply whose audio all came after the cut is no reply with audio', () => {
    const late = { ...cut, deltas: [{ atUs: 300_000 }, { atUs: 400_000 }] }
    const session = new BuiltSession({ profile: TURN_BASED, inputSamples: 16_000, extra: [speech], replies: [late] })
    const facts = measure(session.recording(), TURN_BASED)
    expect(facts.replies).toEqual([])
    expect(facts.replyS).toBeCloseTo(0.2, 9)
  })

  it('native: a cancelled response is not cut', () => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 16_000, replies: [{ ...cut, deltas }] })
    expect(measure(session.recording()).replies).toMatchObject([{ deltas: 3, isCut: false }])
  })

  const cleared = { type: 'output_audio_buffer.cleared', response_id: 'reply_0' }
  const started = { type: 'input_audio_buffer.speech_started' }
  const uninterrupted = {
    modalities: ['text', 'audio'],
    turn_detection: { type: 'server_vad', interrupt_response: false },
  }
  it.each([
    { name: 'speech that starts cuts', event: started, deltas: 2 },
    {
      name: 'speech does not cut where interrupt_response is false',
      event: started,
      session: uninterrupted,
      deltas: 3,
    },
    { name: 'a cleared buffer cuts', event: cleared, deltas: 2 },
    {
      name: 'a cleared buffer cuts whatever interrupt_response says',
      event: cleared,
      session: uninterrupted,
      deltas: 2,
    },
  ])('legacy: $name', ({ event, session, deltas: counted }) => {
    const built = new BuiltSession({
      profile: LEGACY,
      inputSamples: 8000,
      extra: [{ atUs: 200_000, direction: 'receive', event }],
      replies: [{ createdAtUs: 100_000, deltas }],
      ...(session === undefined ? {} : { session }),
    })
    const facts = measure(built.recording(), LEGACY)
    expect(facts.replies.map((reply) => reply.deltas)).toEqual([counted])
    expect(facts.replyS).toBeCloseTo(0.3, 9)
  })

  it('legacy: speech does not cut a reply that has ended', () => {
    const built = new BuiltSession({
      profile: LEGACY,
      inputSamples: 8000,
      extra: [{ atUs: 300_000, direction: 'receive', event: started }],
      replies: [{ createdAtUs: 100_000, deltas: deltas.slice(0, 2) }],
    })
    expect(measure(built.recording(), LEGACY).replies).toMatchObject([{ deltas: 2, isCut: false }])
  })
})

describe('pacing (docs/metrics.md, section 2)', () => {
  // 17,000 samples: 14 packets, the last of 360 samples, so T ends 22.5 ms into its slot.
  const plan = { profile: NATIVE, inputSamples: 17_000 }

  it.each([
    { name: 'a packet exactly 80 ms late keeps the rule', lateUs: { 5: 80_000 }, problems: 0 },
    { name: 'a packet 80.001 ms late breaks it', lateUs: { 5: 80_001, 6: 2 }, problems: 1 },
    { name: 'a first packet exactly 80 ms late keeps the rule', lateUs: all(80_000), problems: 0 },
    { name: 'a first packet 80.001 ms late breaks it, with all others at its pace', lateUs: all(80_001), problems: 1 },
    { name: 'a first packet 80 ms late uses up the slack of those on time', lateUs: { 0: 80_000 }, problems: 0 },
    { name: 'those on time break it after a later first packet', lateUs: { 0: 80_001, 1: 2 }, problems: 13 },
    { name: 'every packet is named', lateUs: { 5: 90_000, 6: 85_000, 7: 80_000 }, problems: 2 },
  ])('$name', ({ lateUs, problems }) => {
    const facts = measure(new BuiltSession({ ...plan, lateUs }).recording())
    expect(facts.pacing.problems).toHaveLength(problems)
    expect(facts.hasSucceeded).toBe(true)
    expect(rowOf([facts])).toMatchObject({ valid: problems === 0, pacing_violations: problems === 0 ? 0 : 1 })
  })

  it('is judged in failed sessions over the packets that were sent', () => {
    const session = new BuiltSession({ ...plan, lateUs: { 3: 90_000 } })
    const receipts = session.recording().receipts as SendReceipts
    const recording = session.recording({
      lines: session.recording().lines.slice(0, 12),
      receipts: { ...receipts, packets: receipts.packets.slice(0, 4) },
    })
    const facts = measure(recording)
    expect(facts).toMatchObject({ hasSucceeded: false, packetsSent: 5, hasSentAllInput: false })
    expect(facts.pacing.problems).toEqual(['packet 3 0.090000 s off its schedule'])
  })

  it('is judged over a packet whose receipt was lost, too', () => {
    const session = new BuiltSession({ ...plan, lateUs: { 4: 90_000, 5: 20_000 } })
    const receipts = session.recording().receipts as SendReceipts
    const recording = session.recording({ receipts: { ...receipts, packets: receipts.packets.slice(0, 4) } })
    const facts = measure(recording)
    expect(facts.pacing.problems).toEqual(['packet 4 0.090000 s off its schedule'])
    expect(facts.pacing.latenessUs).toHaveLength(facts.packetsSent)
    expect(facts.hasSentAllInput).toBe(false)
  })

  it.each([
    { name: 'a full packet taken exactly 80 ms after its end is in time', takesUs: { 4: 160_000 }, isStalled: false },
    { name: 'a full packet taken 1 µs later stalls', takesUs: { 4: 160_001 }, isStalled: true },
    {
      name: 'the short last packet has until 80 ms after the end of the input',
      takesUs: { 13: 102_500 },
      isStalled: false,
    },
    { name: 'the short last packet taken 1 µs later stalls', takesUs: { 13: 102_501 }, isStalled: true },
  ])('stalled input: $name', ({ takesUs, isStalled }) => {
    const facts = measure(new BuiltSession({ ...plan, takesUs }).recording())
    expect(facts.pacing).toMatchObject({ problems: [], isInputStalled: isStalled })
    expect(facts.hasSucceeded).toBe(!isStalled)
    expect(facts.reasons.some((reason) => reason.startsWith('input stalled'))).toBe(isStalled)
    expect(rowOf([facts])).toMatchObject({ valid: true, units_missed: isStalled ? 2 : 0 })
  })

  it('a packet that the generator sent too late is not called stalled', () => {
    const facts = measure(new BuiltSession({ ...plan, lateUs: { 4: 100_000 }, takesUs: { 4: 200_000 } }).recording())
    expect(facts.pacing).toMatchObject({ isInputStalled: false })
    expect(facts.pacing.problems).toHaveLength(1)
  })

  it('a packet that the transport never reported leaves the input unsent and no lag for its unit', () => {
    const session = new BuiltSession(plan)
    const { appends } = session.receipts
    const [first, ...rest] = appends
    const text = JSON.stringify({
      appends: [first, ...rest.map((a) => (a.seq === 12 ? { ...a, completed_s: null } : a))],
    })
    const facts = measure(session.recording({ receipts: parseReceipts(text) as SendReceipts }))
    expect(facts.hasSentAllInput).toBe(false)
    expect(lagsOf(facts)).toEqual([undefined, 10_000])
  })

  it('lateness comes from the session start where packets have no due time of their own', () => {
    const session = new BuiltSession({ ...plan, lateUs: { 2: 5000 } })
    const appends = session.receipts.appends.map(({ scheduled_s: _, ...append }) => append)
    const receipts = parseReceipts(JSON.stringify({ session_start_s: session.startUs / 1e6, appends })) as SendReceipts
    const facts = measure(session.recording({ receipts }))
    expect(facts.pacing.latenessUs?.slice(0, 4)).toEqual([0, 0, 5000, 0])
  })

  it('without any due time there is no lateness, and the rule of the first packet does not apply', () => {
    const session = new BuiltSession({ ...plan, lateUs: all(90_000) })
    const appends = session.receipts.appends.map(({ scheduled_s: _, ...append }) => append)
    const receipts = parseReceipts(JSON.stringify({ appends })) as SendReceipts
    const facts = measure(session.recording({ receipts }))
    expect(facts.pacing).toMatchObject({ latenessUs: undefined, problems: [] })
    expect(rowOf([facts])).toMatchObject({ send_lateness_s: null, late_send_rate: null, valid: true })
  })

  it('early sends keep their sign', () => {
    const facts = measure(new BuiltSession({ ...plan, lateUs: { 1: -300 } }).recording())
    expect(facts.pacing.latenessUs?.slice(0, 3)).toEqual([0, -300, 0])
  })

  it.each([
    { lateUs: 20_000, rate: 0 },
    { lateUs: 20_001, rate: 1 / 14 },
  ])('a send $lateUs µs late makes the late send rate $rate', ({ lateUs, rate }) => {
    const facts = measure(new BuiltSession({ ...plan, lateUs: { 3: lateUs } }).recording())
    expect(rowOf([facts]).late_send_rate).toBe(rate)
  })

  function all(us: number): Record<number, number> {
    return Object.fromEntries(Array.from({ length: 14 }, (_, k) => [k, us]))
  }
})

describe('denied sessions (notes 14 to 16)', () => {
  it.each([
    {
      name: 'refusals up to the last attempt, told by the error text',
      refusals: 3,
      errors: ['HTTP 503'],
      isDenied: true,
    },
    { name: 'refusals and no error at all', refusals: 3, errors: [], isDenied: true },
    { name: 'an error text with 503 alone', refusals: 0, errors: ['server said 503 to the upgrade'], isDenied: true },
    { name: 'refusals and then another cause', refusals: 2, errors: ['connect ECONNREFUSED'], isDenied: false },
    { name: 'a larger number that holds 503', refusals: 1, errors: ['timed out after 15030 ms'], isDenied: false },
    { name: 'no refusal and no error', refusals: 0, errors: [], isDenied: false },
  ])('$name: denied is $isDenied', ({ isDenied, ...rest }) => {
    const facts = measure(deniedRecording({ inputSamples: 40_000, ...rest }))
    expect(facts).toMatchObject({ isDenied, hasSucceeded: false, admissionRetries: 0, unitsExpected: 3, units: [] })
    expect(rowOf([facts])).toMatchObject({ denied: isDenied ? 1 : 0, sessions_failed: 1, units_missed: 3, valid: true })
  })

  it('an error with 503 after the session had begun is a failure, not a refusal', () => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 16_000 })
    const draft = session.draft().insertAfter('receive session.updated', 'error', { message: 'HTTP 503' })
    expect(measure(session.recording({ lines: draft.toLines() }))).toMatchObject({
      isDenied: false,
      hasSucceeded: false,
    })
  })

  it('refusals of a session that was let in are retries, even when it fails later', () => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 16_000, refusals: 2 })
    expect(measure(session.recording())).toMatchObject({ isDenied: false, admissionRetries: 2, hasSucceeded: true })
    const lines = session.draft().remove('receive session.closed').toLines()
    expect(measure(session.recording({ lines }))).toMatchObject({ admissionRetries: 2, hasSucceeded: false })
  })

  const rejection = (event_id?: string) => ({
    type: 'error',
    event_id: 'server_error',
    error: { type: 'server_error', code: 'admission_rejected', message: 'full', ...(event_id ? { event_id } : {}) },
  })
  it.each([
    { name: 'an admission_rejected that names the first update', event: rejection('update'), isDenied: true },
    { name: 'an admission_rejected that names nothing, with one update sent', event: rejection(), isDenied: true },
    { name: 'an admission_rejected that names a packet', event: rejection('append_0'), isDenied: false },
    {
      name: 'another error about the first update',
      event: { ...rejection(), error: { code: 'busy' } },
      isDenied: false,
    },
  ])('$name: denied is $isDenied', ({ event, isDenied }) => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 16_000 })
    const lines = session.draft().insertAfter('send session.update', 'receive', event).toLines()
    expect(measure(session.recording({ lines }))).toMatchObject({ isDenied, hasSucceeded: false })
  })

  it('session.created alone is not admission: a rejected update denies although the session was open', () => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 16_000 })
    const text = session
      .draft()
      .insertAfter('send session.update', 'receive', rejection('update'))
      .toText()
      .split('\n')
      .slice(0, 3)
      .join('\n')
    const facts = measure(session.recording({ lines: parseTrace(`${text}\n`), receipts: undefined }))
    expect(facts).toMatchObject({ isDenied: true, t0Us: undefined, hasSentAllInput: false })
    expect(facts.openAtUs).toBe(session.startUs - 10_000)
    expect(facts.closeAtUs).toBe(session.startUs - 9000)
  })

  it('a second update after the rejection does not undo it (note 15)', () => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 16_000 })
    const again = { type: 'session.update', event_id: 'again', session: {} }
    const draft = session
      .draft()
      .insertAfter('send session.update', 'receive', rejection())
      .insertAfter('receive error', 'send', again)
    expect(measure(session.recording({ lines: draft.toLines() }))).toMatchObject({
      isDenied: true,
      hasSucceeded: false,
    })
  })
})

describe('open sessions', () => {
  it('lie between the receipts of session.created and session.closed', () => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 16_000, lagsUs: [100_000] })
    const facts = measure(session.recording())
    expect(facts.openAtUs).toBe(session.startUs - 10_000)
    expect(facts.closeAtUs).toBe(session.t0Us + 960_100 + 100_000 + 500 + 1000)
  })

  it('end with the last line where the session broke off', () => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 16_000 })
    const lines = session.recording().lines.slice(0, 9)
    const last = lines.at(-1)
    expect(measure(session.recording({ lines })).closeAtUs).toBe(last?.ok ? last.atUs : undefined)
  })

  it('legacy sessions have no session.closed and end with their last line', () => {
    const session = new BuiltSession({ profile: LEGACY, inputSamples: 8000 })
    const last = session.recording().lines.at(-1)
    expect(measure(session.recording(), LEGACY).closeAtUs).toBe(last?.ok ? last.atUs : undefined)
  })
})

describe('incomplete recordings stay in every denominator', () => {
  const session = new BuiltSession({ profile: NATIVE, inputSamples: 40_000 })

  it.each([
    {
      name: 'no input file: its length is the audio that was sent',
      changes: { inputPcm: undefined, fileProblems: ['input.pcm is missing'] },
      units: 3,
    },
    {
      name: 'no input file, nor a trace: its length is what the books say',
      changes: {
        inputPcm: undefined,
        lines: [],
        receipts: undefined,
        declaredInputSamples: 33_000,
        fileProblems: ['x'],
      },
      units: 3,
    },
    { name: 'no trace', changes: { lines: [], fileProblems: ['continuous.jsonl is missing'] }, units: 3 },
    {
      name: 'nothing at all',
      changes: { lines: [], inputPcm: undefined, receipts: undefined, fileProblems: ['x'] },
      units: 0,
    },
    { name: 'an input longer than what was sent', changes: { inputPcm: new Uint8Array(2 * 48_001) }, units: 4 },
    { name: 'an input that differs from what was sent', changes: { inputPcm: new Uint8Array(2 * 40_000) }, units: 3 },
    {
      name: 'a trace cut in the middle of its last line',
      changes: { lines: parseTrace(session.traceText.slice(0, -20)) },
      units: 3,
    },
  ])('$name', ({ changes, units }) => {
    const facts = measure(session.recording(changes))
    expect(facts.hasSucceeded).toBe(false)
    expect(facts.reasons.length).toBeGreaterThan(0)
    expect(facts.unitsExpected).toBe(units)
    expect(rowOf([facts])).toMatchObject({
      sessions_attempted: 1,
      sessions_failed: 1,
      units_expected: units,
      units_missed: units,
    })
  })

  it('says after which sample the audio sent differs from the input', () => {
    const inputPcm = Uint8Array.from(session.inputPcm)
    inputPcm[2 * 1280 + 7] = 99
    const { reasons } = measure(session.recording({ inputPcm }))
    expect(reasons).toEqual(['the audio sent differs from the recorded input after sample 1280'])
  })

  it('without receipts a session is timed by its trace, and its lateness is unknown', () => {
    const facts = measure(session.recording({ receipts: undefined }))
    expect(facts).toMatchObject({ packetsSent: 32, t0Us: session.t0Us, hasSentAllInput: true, hasSucceeded: true })
    expect(facts.pacing).toMatchObject({ latenessUs: undefined, problems: [] })
    expect(lagsOf(facts)).toEqual([10_100, 10_100, 10_000])
  })

  it('without a packet there is neither a window nor a lateness', () => {
    const facts = measure(session.recording({ lines: [], receipts: undefined }))
    expect(facts).toMatchObject({ t0Us: undefined, openAtUs: undefined, packetsSent: 0, hasSentAllInput: false })
    expect(facts.pacing.latenessUs).toEqual([])
  })
})

describe('work done', () => {
  it('is the input acknowledged, also beyond what a failed session finished', () => {
    const session = new BuiltSession({ profile: NATIVE, inputSamples: 40_000 })
    const lines = session.draft().removeAll('receive sglang.unit.done').toLines()
    expect(measure(session.recording({ lines }))).toMatchObject({ acceptedMs: 2500, units: [], hasSucceeded: false })
  })

  it('the legacy protocol acknowledges nothing', () => {
    const session = new BuiltSession({ profile: LEGACY, inputSamples: 8000 })
    expect(measure(session.recording(), LEGACY).acceptedMs).toBeNull()
  })
})
