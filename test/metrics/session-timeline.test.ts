import { describe, expect, it } from 'vitest'
import { pausesUs, playedSpans } from '../../src/metrics/playback.js'
import { sessionTimeline } from '../../src/metrics/session-timeline.js'
import { worstSession } from '../../src/metrics/worst-session.js'
import { deniedFacts, factsWith, measure, NATIVE, TURN_BASED } from '../helpers/measured-levels.js'
import { BuiltSession } from '../helpers/session-builder.js'

describe('the timeline of a session', () => {
  const built = new BuiltSession({
    profile: NATIVE,
    inputSamples: 40_000,
    lateUs: { 3: 5000 },
    lagsUs: [400_000, null, 300_000],
    replies: [{ id: 'r', createdAtUs: 1_200_000, deltas: [{ atUs: 1_300_000 }, { atUs: 1_600_000 }] }],
    extra: [{ atUs: 2_000_000, direction: 'receive', event: { type: 'error', error: { code: 'odd', message: 'no' } } }],
  })
  const recording = built.recording()
  const facts = measure(recording)
  const timeline = sessionTimeline({ facts, recording, profile: NATIVE, reserveUs: 80_000 })

  it('has every packet with its lateness, and every expected unit', () => {
    expect(timeline.originUs).toBe(built.t0Us)
    expect(timeline.packets.map(({ latenessUs }) => latenessUs)).toEqual(
      Array.from({ length: 32 }, (_, k) => (k === 3 ? 5000 : 0)),
    )
    expect(timeline.units.map(({ readyAtUs, doneAtUs }) => (doneAtUs ?? Number.NaN) - (readyAtUs ?? 0))).toEqual([
      400_000,
      Number.NaN,
      300_000,
    ])
  })

  it('has the reply as it would have played, with its pause', () => {
    const [reply] = timeline.replies
    expect(reply?.played.map(({ fromUs, toUs }) => [fromUs - built.t0Us, toUs - built.t0Us])).toEqual([
      [1_380_000, 1_480_000],
      [1_600_000, 1_700_000],
    ])
    expect(facts.replies[0]?.pausesUs).toEqual([120_000])
  })

  it('has the events that are not many of a kind, with what they say', () => {
    const types = timeline.events.map(({ type }) => type)
    expect(types).toContain('response.created')
    expect(types).not.toContain('input_audio_buffer.append')
    expect(timeline.events.find(({ type }) => type === 'error')).toMatchObject({
      direction: 'receive',
      detail: 'odd, no',
    })
  })

  it('has no unit ready after its end', () => {
    const cut = sessionTimeline({
      facts: { ...facts, closeAtUs: built.t0Us + 1_500_000 },
      recording,
      profile: NATIVE,
      reserveUs: 0,
    })
    expect(cut.units.map(({ readyAtUs }) => readyAtUs !== undefined)).toEqual([true, false, false])
  })

  it('of an empty recording is empty', () => {
    const empty = { ...recording, lines: [], receipts: undefined, inputPcm: undefined }
    const own = sessionTimeline({ facts: measure(empty), recording: empty, profile: NATIVE, reserveUs: 0 })
    expect(own).toMatchObject({ originUs: 0, packets: [], units: [], replies: [], events: [] })
  })
})

describe('played spans', () => {
  it('lie apart by the pauses', () => {
    const deltas = [0, 50_000, 400_000].map((atUs) => ({ atUs, samples: 2400 }))
    const audio = { deltas, sampleRateHz: 24_000 }
    expect(playedSpans(audio, 100_000)).toEqual([
      { fromUs: 100_000, toUs: 300_000 },
      { fromUs: 400_000, toUs: 500_000 },
    ])
    expect(pausesUs(audio, 100_000)).toEqual([100_000])
  })
})

describe('the worst session', () => {
  const slow = factsWith({ name: 'slow', lagsUs: [1_000_001, 3] })
  it.each([
    { name: 'most missed units', sessions: [factsWith({ name: 'a', lagsUs: [900_000, 1] }), slow], worst: 'slow' },
    { name: 'then the highest lag', sessions: [slow, factsWith({ name: 'b', lagsUs: [1_000_002, 1] })], worst: 'b' },
    { name: 'then the name', sessions: [factsWith({ name: 'z' }), factsWith({ name: 'y' })], worst: 'y' },
    {
      name: 'a failed session missed all',
      sessions: [slow, factsWith({ name: 'f', hasSucceeded: false })],
      worst: 'f',
    },
    { name: 'one that opened before one that did not', sessions: [deniedFacts({ name: 'd' }), slow], worst: 'slow' },
    { name: 'none', sessions: [], worst: undefined },
  ])('$name', ({ sessions, worst }) => {
    expect(worstSession(sessions, NATIVE)?.name).toBe(worst)
    expect(worstSession([...sessions].reverse(), NATIVE)?.name).toBe(worst)
  })

  it('of turns is the one whose reply came slowest', () => {
    const reply = (realTimeFactor: number) => ({
      ...{ id: 'r', firstAudioUs: 1, bufferNeededUs: 0, pausesUs: [], deltas: 2, isCut: false },
      realTimeFactor,
    })
    const turns = (name: string, factor: number) =>
      factsWith({ name, unitsExpected: null, units: [], replies: [reply(factor)] })
    expect(worstSession([turns('a', 0.5), turns('b', 1.5)], TURN_BASED)?.name).toBe('b')
  })
})
