/**
 * Capacity paired with quality, from end to end on the virtual clock: real client, real loopback server, real speech and
 * real detection; only the sockets, the files and the waiting are left out.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { parseAnnotation } from '../../src/dataset/annotation.js'
import type { InputClip } from '../../src/dataset/input-clip.js'
import type { LoopbackOptionsInput } from '../../src/loopback/options.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import type { Profile } from '../../src/profile/profile.js'
import { createSpeechFinder } from '../../src/quality/detection/silero-finder.io.js'
import type { SpeechFinder } from '../../src/quality/detection/speech-finder.js'
import { onWindow, partToTranscribe } from '../../src/quality/transcripts/reply-part.js'
import { segmentsAsWords, vadIdentity } from '../../src/quality/transcripts/segments-as-words.js'
import { checkSample } from '../../src/quality/unified/check-sample.js'
import type { LoadedSample } from '../../src/quality/unified/loaded-sample.js'
import { scoreSamples } from '../../src/quality/unified/score-samples.js'
import { sessionWindow } from '../../src/quality/window/session-window.js'
import { builtInReplies } from '../../src/speech/clips.io.js'
import { builtInTurnClips } from '../../src/speech/turns-clips.io.js'
import { capacityOf, levelOutcomes } from '../../src/sweep/capacity.js'
import { qualityResults, type ScoredCapture, type ScoredRun } from '../../src/sweep/quality-result.js'
import { captureOf } from '../helpers/scored-captures.js'
import { runVirtualLevel, type VirtualLevel } from '../helpers/virtual-level.js'

const LEVELS = [2, 4, 8]
/** Holds four, not eight; patience as the clips are laid out for. */
const SERVER: LoopbackOptionsInput = { baseMs: 80, perUnitMs: 140, jitter: 0.02, replyAfterSilenceMs: 700 }
const MARGINS = {
  pause_intrusion_rate: 0.25,
  early_start_rate: 0.25,
  response_rate_2s: 0.25,
  response_latency_s: 0.5,
  stop_latency_s: 0.5,
}

let profile: Profile
let clips: readonly InputClip[]
let replies: Awaited<ReturnType<typeof builtInReplies>>
let finder: SpeechFinder

beforeAll(async () => {
  profile = await loadProfile('minicpmo-native')
  clips = await builtInTurnClips(profile.input.sample_rate_hz)
  replies = await builtInReplies(profile.output.sample_rate_hz)
  finder = await createSpeechFinder({ threads: 0 })
  return () => finder.close()
})

async function sweepOf(server: LoopbackOptionsInput) {
  const levels: { concurrency: number; level: VirtualLevel; scores: ScoredCapture | undefined }[] = []
  for (const concurrency of LEVELS) {
    const level = await runVirtualLevel({
      profile,
      server: { ...SERVER, ...server },
      concurrency,
      inputs: clips.map(({ pcm }) => pcm),
      sessions: clips.length,
      replies,
    })
    // The level beyond the knee decides the serving capacity alone.
    levels.push({ concurrency, level, scores: concurrency === 8 ? undefined : await scored(level) })
  }
  const serving = capacityOf(levelOutcomes(levels.map(({ level }) => level.row)))
  const runs = levels.map(
    ({ concurrency, level, scores }): ScoredRun => ({
      run: `concurrency-${concurrency}`,
      concurrency,
      repeat: 1,
      isValid: level.row.valid,
      scores,
    }),
  )
  const { profile: quality } = qualityResults({ runs, serving, margins: MARGINS, seed: 0 })
  const metric = (concurrency: number, subset: string, name: string) =>
    levels.find((level) => level.concurrency === concurrency)?.scores?.result.subsets[subset]?.metrics[name]?.value
  return { serving, quality, metric }
}

async function scored({ recordings }: VirtualLevel): Promise<ScoredCapture> {
  const ordered = [...recordings].sort((a, b) => (a.name < b.name ? -1 : 1))
  const windows = ordered.map((recording, index) => {
    const { subset, id, windowSamples, annotation } = clips[index] as InputClip
    const made = sessionWindow({ recording, profile, windowSamples, admissionRetryLimit: 3, bookReasons: [] })
    if (!made.ok) throw new Error(`${id}: ${made.reasons.map(({ detail }) => detail).join('; ')}`)
    if (annotation === null) throw new Error(`${id} has no annotation`)
    const parsed = parseAnnotation(annotation.file as 'pause.json', annotation.text)
    if (!parsed.ok) throw new Error(parsed.problem)
    const cutS = parsed.annotation.kind === 'interruption' ? parsed.annotation.endS : null
    return { subset, id, windowSamples, annotation: parsed.annotation, cutS, pcm: made.window.pcm }
  })
  const speech = await finder.find(windows.map(({ pcm }) => pcm))
  const parts = windows.map(({ pcm, cutS }) => partToTranscribe(pcm, cutS))
  const words = await finder.find(parts)
  const samples = windows.map(({ subset, id, windowSamples, annotation, cutS }, index): LoadedSample => {
    const placed = onWindow(segmentsAsWords(words[index] ?? []), { samples: parts[index]?.length ?? 0, cutS })
    if (!placed.ok) throw new Error(`${id}: a segment lies outside of its window`)
    const checked = checkSample({
      sampleId: `${subset}/${id}`,
      subset: subset as 'candor_turn_taking',
      task: subset,
      input: { samples: windowSamples, sampleRateHz: 16_000 },
      annotation,
      words: placed.transcript.words,
      speech: (speech[index] ?? []).map(({ startSample, endSample }) => [startSample / 16_000, endSample / 16_000]),
    })
    if (!checked.ok) throw new Error(`${id}: ${checked.problem}`)
    return checked.value
  })
  const { subsets, rows } = scoreSamples(samples, { withOfficialRules: false })
  return captureOf(rows, { subsets, words: vadIdentity(finder.identity) })
}

describe('quality against load on a server that is known', () => {
  it('agrees with the serving capacity when only deadlines break', async () => {
    const { serving, quality, metric } = await sweepOf({})
    expect(serving).toMatchObject({ status: 'exact', sessions: 4 })
    expect(quality?.capacity).toMatchObject({ status: 'exact', sessions: 4, worse_level: null })
    expect(metric(2, 'synthetic_pause_handling', 'pause_intrusion_rate')).toBeLessThan(0.1)
    expect(metric(4, 'synthetic_pause_handling', 'pause_intrusion_rate')).toBeLessThan(0.1)
    expect(metric(4, 'candor_turn_taking', 'response_rate_2s')).toBe(1)
  })

  it('is below it when the server gets jumpier: it speaks into pauses', async () => {
    const { serving, quality, metric } = await sweepOf({ jumpierMs: 100 })
    expect(serving).toMatchObject({ status: 'exact', sessions: 4 })
    expect(quality?.capacity).toMatchObject({ status: 'exact', sessions: 2, worse_level: 4 })
    expect(metric(4, 'synthetic_pause_handling', 'pause_intrusion_rate')).toBeGreaterThan(0.5)
  })

  it('is below it when replies come later', async () => {
    const { serving, quality, metric } = await sweepOf({ laterMs: 100 })
    expect(serving).toMatchObject({ status: 'exact', sessions: 4 })
    expect(quality?.capacity).toMatchObject({ status: 'exact', sessions: 2, worse_level: 4 })
    const [before, after] = [2, 4].map((level) => metric(level, 'candor_turn_taking', 'response_latency_s'))
    expect(Number(after)).toBeGreaterThan(Number(before) + 0.5)
    expect(metric(4, 'candor_turn_taking', 'response_rate_2s')).toBeLessThan(0.5)
  })
})
