/** Sessions as our own client records them, of every protocol: each has a window as long as its item. */
import { describe, expect, it } from 'vitest'
import { windowSamplesOf } from '../../../src/dataset/input-clip.js'
import type { Profile } from '../../../src/profile/profile.js'
import { sessionWindow } from '../../../src/quality/window/session-window.js'
import { shippedProfile } from '../../helpers/measured-levels.js'
import { runVirtualLevel, speechLikeInput } from '../../helpers/virtual-level.js'

const DETECTION = { type: 'server_vad', silence_duration_ms: 500 }
const ITEM_MS = 4000

describe.each<{ readonly name: string; readonly session?: object }>([
  { name: 'minicpmo-native' },
  { name: 'personaplex-native' },
  { name: 'nemotron-voicechat' },
  { name: 'turn-based', session: { audio: { input: { turn_detection: DETECTION } } } },
  { name: 'qwen3-omni-half-duplex', session: { turn_detection: DETECTION } },
  { name: 'openai-realtime' },
  { name: 'vllm-duplex' },
])('$name', ({ name, session = {} }) => {
  it('has a window of its item, in which the reply is heard', async () => {
    const shipped = shippedProfile(name)
    const profile: Profile = { ...shipped, session: { ...shipped.session, ...session } }
    const rateHz = profile.input.sample_rate_hz
    // The user speaks, listens, and speaks again to the end, so that even a server without a farewell is heard after it.
    const item = new Int16Array((ITEM_MS * rateHz) / 1000)
    const speech = speechLikeInput(profile, ITEM_MS / 2, name)
    item.set(speech)
    item.set(speech.subarray(0, 0.4 * rateHz), item.length - 0.4 * rateHz)
    const input = new Int16Array(item.length + (profile.input.trailing_silence_ms * rateHz) / 1000)
    input.set(item)
    const { recordings } = await runVirtualLevel({ profile, concurrency: 1, inputs: [input], sessions: 1 })
    const [recording] = recordings
    if (recording === undefined) throw new Error('nothing was recorded')
    const windowSamples = windowSamplesOf(item.length, rateHz)
    const options = { recording, profile, windowSamples, admissionRetryLimit: 3, bookReasons: [] }
    const made = sessionWindow(options)
    expect(made).toMatchObject({ ok: true, windowSamples: 64_000 })
    const pcm = made.ok ? made.window.pcm : new Int16Array()
    expect(pcm.length).toBe(64_000)
    expect(pcm.some((sample) => sample !== 0)).toBe(true)
  })
})
