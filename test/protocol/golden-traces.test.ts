import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseTrace } from '../../src/capture/trace-record.js'
import { judgeSession } from '../../src/protocol/judge.js'
import { DEFAULT_ADMISSION_RETRIES } from '../../src/protocol/verdict.js'
import { BASES, type BaseName, draftOf, judgeDraft, loadProfile, readText } from './fixtures.js'

/** Hand-made levels with the right answers beside them; their origin is in test/vectors/serving/README.md. */
const SERVING = 'test/vectors/serving'

const SERVING_SESSIONS = readdirSync(SERVING)
  .filter((level) => existsSync(`${SERVING}/${level}/manifest.json`))
  .flatMap((level) => readdirSync(`${SERVING}/${level}/sessions`).map((name) => ({ level, name })))

describe('golden traces', () => {
  for (const base of Object.keys(BASES) as BaseName[]) {
    it(`the example ${BASES[base].trace} passes`, () => {
      expect(judgeDraft(base, draftOf(base))).toEqual({ status: 'pass', violations: [], notes: [] })
    })
  }

  for (const { level, name } of SERVING_SESSIONS) {
    it(`${level}, session ${name}, gets the verdict of its vector`, () => {
      const { profile } = JSON.parse(readText(`${SERVING}/${level}/manifest.json`)) as { profile: string }
      const expected = JSON.parse(readText(`${SERVING}/${level}/expected-sessions.json`))[name] as { passed: boolean }
      const verdict = judgeSession({
        profile: loadProfile(profile),
        lines: parseTrace(readText(`${SERVING}/${level}/sessions/${name}/continuous.jsonl`)),
        admissionRetryLimit: DEFAULT_ADMISSION_RETRIES,
      })
      expect(verdict.violations.length === 0, JSON.stringify(verdict.violations)).toBe(expected.passed)
      expect(verdict.status).toBe(expected.passed ? 'pass' : 'fail')
    })
  }

  it('a denied session says what never happened, the found line first', () => {
    const verdict = judgeSession({
      profile: loadProfile('minicpmo-native'),
      lines: parseTrace(readText(`${SERVING}/02-native-late-unit-and-denied/sessions/two/continuous.jsonl`)),
      admissionRetryLimit: DEFAULT_ADMISSION_RETRIES,
    })
    expect(verdict.violations.map(({ check, message, line }) => `${line ?? '-'} ${check} ${message}`)).toEqual([
      '4 C5 client error: RuntimeError: admission denied 4 times with HTTP 503',
      '- C8 no input_audio_buffer.append was sent; at least 1 is required',
      '- N9 0 x receive session.created; exactly 1 is required',
      '- N9 0 x send session.update; exactly 1 is required',
      '- N9 0 x receive session.updated; exactly 1 is required',
      '- N9 0 x send sglang.input_audio.end; exactly 1 is required',
      '- N9 0 x receive sglang.input_audio.ended; exactly 1 is required',
      '- N9 0 x receive sglang.input_audio.drained; exactly 1 is required',
      '- N9 0 x send session.close; exactly 1 is required',
      '- N9 0 x receive session.closed; exactly 1 is required',
    ])
  })

  it('a refusal at the last allowed attempt and an error line is all a denied legacy session has', () => {
    const lines = parseTrace(readText(`${SERVING}/02-native-late-unit-and-denied/sessions/two/continuous.jsonl`))
    const profile = loadProfile('qwen3-omni-half-duplex')
    const verdict = judgeSession({ profile, lines, admissionRetryLimit: 3 })
    expect(verdict.violations.map(({ check }) => check)).toEqual(['C5', 'C8', 'L1', 'L1', 'L1'])
  })
})
