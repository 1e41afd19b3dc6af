import { describe, expect, it } from 'vitest'
import { LEGACY, measure, NATIVE, shippedProfile, TURN_BASED } from '../helpers/measured-levels.js'
import { BuiltSession, type SessionPlan } from '../helpers/session-builder.js'

/** What the other tests break must be whole to begin with. */
const WHOLE: readonly (SessionPlan & { readonly title: string })[] = [
  { title: 'a native session without a reply', profile: NATIVE, inputSamples: 40_000 },
  { title: 'a native session of whole units', profile: NATIVE, inputSamples: 32_000, hasEmptyEndUnit: true },
  {
    title: 'a native session with replies',
    profile: NATIVE,
    inputSamples: 40_000,
    replies: [
      { createdAtUs: 1_000_000, deltas: [{ atUs: 1_100_000, unit: 1 }, { atUs: 1_200_000 }] },
      { createdAtUs: 1_300_000, texts: [{ atUs: 1_400_000, text: 'yes' }] },
    ],
  },
  {
    title: 'a continuous native session',
    profile: shippedProfile('personaplex-native'),
    inputSamples: 2 * 1920,
    replies: [
      {
        createdAtUs: 70_000,
        deltas: [
          { atUs: 75_000, samples: 1920 },
          { atUs: 165_000, samples: 1920 },
        ],
        doneAtUs: 180_000,
      },
    ],
  },
  {
    title: 'a turn-based session with a cut reply',
    profile: TURN_BASED,
    inputSamples: 24_320,
    extra: [{ atUs: 400_000, direction: 'receive', event: { type: 'input_audio_buffer.speech_started' } }],
    replies: [
      {
        createdAtUs: 300_000,
        deltas: [{ atUs: 320_000 }],
        status: 'cancelled',
        reason: 'interrupted',
        doneAtUs: 410_000,
      },
      { createdAtUs: 900_000, deltas: [{ atUs: 920_000 }, { atUs: 1_000_000 }] },
    ],
  },
  {
    title: 'a legacy session',
    profile: LEGACY,
    inputSamples: 8000,
    replies: [{ createdAtUs: 100_000, deltas: [{ atUs: 120_000 }, { atUs: 220_000 }] }],
  },
  { title: 'a session let in at the third attempt', profile: NATIVE, inputSamples: 8000, refusals: 2 },
]

describe('sessions built for tests', () => {
  it.each(WHOLE)('$title passes its protocol', ({ title: _, ...plan }) => {
    const facts = measure(new BuiltSession(plan).recording(), plan.profile)
    expect(facts.reasons).toEqual([])
    expect(facts.pacing.problems).toEqual([])
  })
})
