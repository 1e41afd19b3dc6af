/** How an input goes on the wire: cut into packets of 80 ms, each with its place on the input's time line. */
import { describe, expect, test } from 'vitest'
import { shippedProfiles } from '../../src/profile/load-profile.io.js'
import { PACKET_MS, type Profile, samplesPerPacket } from '../../src/profile/profile.js'
import { driverOf } from '../../src/protocol/registry.js'

const PROFILES = await shippedProfiles()

/** No two samples near each other are alike, and both ends of the range occur. */
const pcmOf = (samples: number) =>
  Int16Array.from({ length: samples }, (_, at) =>
    at === 0 ? -32768 : at === 1 ? 32767 : ((at * 7919) % 65536) - 32768,
  )

interface Append {
  readonly type: string
  readonly event_id: string
  readonly audio: string
  readonly format?: string
  readonly sample_rate_hz?: number
  readonly duration_ms?: number
  readonly audio_end_ms?: number
  readonly sglang?: { readonly seq: number; readonly t_start_ms: number }
}

const appendsOf = (pcm: Int16Array, profile: Profile): Append[] =>
  driverOf(profile)
    .packets(pcm, profile)
    .texts.map((text) => JSON.parse(text))

const lengths = (profile: Profile) => {
  const full = samplesPerPacket(profile)
  return [
    { name: 'a single sample', samples: 1, packets: 1, last: 1 },
    { name: 'a sample less than a packet', samples: full - 1, packets: 1, last: full - 1 },
    { name: 'a packet', samples: full, packets: 1, last: full },
    { name: 'a sample more than a packet', samples: full + 1, packets: 2, last: 1 },
    { name: 'whole packets', samples: 4 * full, packets: 4, last: full },
    { name: 'packets and a short one', samples: 7 * full + 321, packets: 8, last: 321 },
  ].map((row) => ({ profile, ...row }))
}

describe.each(PROFILES.flatMap(lengths))('$name for $profile.name', ({ profile, samples, packets, last }) => {
  const pcm = pcmOf(samples)
  const wire = driverOf(profile).packets(pcm, profile)
  const appends = appendsOf(pcm, profile)

  test(`makes ${packets} packets, the last of ${last} samples`, () => {
    expect(wire).toMatchObject({ samplesPerPacket: samplesPerPacket(profile), lastPacketSamples: last })
    const sizes = appends.map(({ audio }) => Buffer.from(audio, 'base64').length / 2)
    expect(sizes).toEqual([...Array<number>(packets - 1).fill(samplesPerPacket(profile)), last])
  })

  test('carries all of the input, and nothing else', () => {
    const bytes = Buffer.concat(appends.map(({ audio }) => Buffer.from(audio, 'base64')))
    expect(bytes.equals(Buffer.from(pcm.buffer))).toBe(true)
  })

  test('is the same as frames and as texts, under ids that are the packets’ own', () => {
    expect(wire.frames.map((frame) => frame.toString('utf8'))).toEqual(wire.texts)
    expect(appends.map(({ event_id }) => event_id)).toEqual(wire.eventIds)
    expect(new Set(wire.eventIds).size).toBe(packets)
    expect(new Set(appends.map(({ type }) => type))).toEqual(new Set(['input_audio_buffer.append']))
  })
})

test('a part of a longer recording is cut out of it, not taken from its beginning', () => {
  const whole = pcmOf(5000)
  for (const profile of PROFILES) {
    const [append] = appendsOf(whole.subarray(1000, 1777), profile)
    expect(Buffer.from(append?.audio ?? '', 'base64').equals(Buffer.from(whole.slice(1000, 1777).buffer))).toBe(true)
  }
})

describe('the time line', () => {
  const SEQUENCED = ['native', 'turn-based', 'legacy-half-duplex']

  test.each(PROFILES.filter(({ protocol }) => SEQUENCED.includes(protocol)))(
    'of $name counts packets, and milliseconds from their start',
    (profile) => {
      const appends = appendsOf(pcmOf(5 * samplesPerPacket(profile) + 77), profile)
      expect(appends.map(({ sglang }) => sglang)).toEqual(
        [0, 1, 2, 3, 4, 5].map((seq) => ({ seq, t_start_ms: seq * PACKET_MS })),
      )
    },
  )

  test.each(PROFILES.filter(({ protocol }) => protocol === 'openai-realtime'))(
    'of $name is left to the server: an append has its audio and its id alone',
    (profile) => {
      const [append] = appendsOf(pcmOf(100), profile)
      expect(Object.keys(append ?? {})).toEqual(['type', 'event_id', 'audio'])
    },
  )

  // 1,280 samples of 16 kHz are 80 ms; the last packet has 33 of them, 2.0625 ms.
  test.each(PROFILES.filter(({ protocol }) => protocol === 'vllm-duplex'))(
    'of $name names the length of each packet and where it ends',
    (profile) => {
      const appends = appendsOf(pcmOf(2 * 1280 + 33), profile)
      expect(appends.map(({ duration_ms, audio_end_ms }) => [duration_ms, audio_end_ms])).toEqual([
        [80, 80],
        [80, 160],
        [2.0625, 162.0625],
      ])
      for (const append of appends) expect(append).toMatchObject({ format: 'pcm16', sample_rate_hz: 16_000 })
    },
  )

  test('of a vLLM profile at another rate is its own', () => {
    const base = PROFILES.find(({ protocol }) => protocol === 'vllm-duplex')
    if (base === undefined) throw new Error('there is no vLLM profile')
    const profile = { ...base, input: { ...base.input, sample_rate_hz: 24_000 } }
    const last = appendsOf(pcmOf(1920 + 20), profile).at(-1)
    expect(last?.sample_rate_hz).toBe(24_000)
    expect(last?.duration_ms).toBeCloseTo(20 / 24, 9)
    expect(last?.audio_end_ms).toBeCloseTo(80 + 20 / 24, 9)
  })
})
