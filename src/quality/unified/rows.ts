/** Facts to rows of `unified-samples.jsonl`: microseconds become seconds. */
import { secondsOfMicroseconds } from '../../base/microseconds.js'
import type { InterruptionFacts } from './interruption-facts.js'
import type { IneligibleSample, SampleHead } from './loaded-sample.js'
import type { PauseFacts } from './pause-facts.js'
import type { TurnTakingFacts } from './turn-taking-facts.js'
import type { IneligibleRow, InterruptionRow, PauseRow, TurnTakingRow } from './unified-result.js'

export function ineligibleRow(sample: IneligibleSample): IneligibleRow {
  return { ...headOf(sample), eligible: false, reasons: sample.reasons }
}

export function pauseRow(sample: SampleHead, facts: PauseFacts): PauseRow {
  return {
    ...headOf(sample),
    eligible: true,
    pause_intrusion: facts.hasIntrusion,
    inside_pause_onset: facts.hasOnsetInsidePause,
    pre_pause_speech: facts.hasSpeechBeforePause,
    carry_in: facts.hasCarryIn,
    any_speech: facts.hasSpeech,
    intrusion_words: facts.intrusionWords,
    pauses: facts.pauses,
    pauses_intruded: facts.pausesIntruded,
    pause_s: secondsOfMicroseconds(facts.pauseUs),
    intrusion_s: secondsOfMicroseconds(facts.coveredUs),
  }
}

export function turnTakingRow(sample: SampleHead, facts: TurnTakingFacts): TurnTakingRow {
  return {
    ...headOf(sample),
    eligible: true,
    outcome: facts.outcome,
    latency_s: secondsOrNull(facts.latencyUs),
    observable_s: secondsOfMicroseconds(facts.observableUs),
  }
}

export function interruptionRow(sample: SampleHead, facts: InterruptionFacts): InterruptionRow {
  return {
    ...headOf(sample),
    eligible: true,
    outcome: facts.outcome,
    S: secondsOfMicroseconds(facts.onsetUs),
    R: secondsOfMicroseconds(facts.endUs),
    latency_s: secondsOrNull(facts.latencyUs),
    observable_s: secondsOfMicroseconds(facts.observableUs),
    speech_at_onset: facts.isSpeakingAtOnset,
    speech_at_end: facts.isSpeakingAtEnd,
    speech_before_onset: facts.hasSpeechBeforeOnset,
    stop_s: secondsOrNull(facts.stopUs),
    stop_observed: facts.stopUs !== null,
    speech_in_interruption_s: secondsOfMicroseconds(facts.speechInInterruptionUs),
    interruption_s: secondsOfMicroseconds(facts.endUs - facts.onsetUs),
    restarts: facts.restarts,
  }
}

function headOf({ sampleId, subset, task }: SampleHead) {
  return { sample_id: sampleId, subset, task }
}

function secondsOrNull(us: number | null): number | null {
  return us === null ? null : secondsOfMicroseconds(us)
}
