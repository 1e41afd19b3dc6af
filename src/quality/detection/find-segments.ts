/** Speech segments of windows, by the detector's batched run and the settings that the metrics are defined with. */
import type { DetectorAudio } from '../../speech/detector-lockstep.js'
import { SEGMENT_DEFAULTS, type SpeechSegment, speechSegments } from '../../speech/speech-segments.js'

/** What is needed of a speech detector: probabilities of many audios, each from a fresh state. */
export interface BatchDetector {
  probabilitiesOf(batch: readonly DetectorAudio[]): Promise<Float32Array[]>
}

/** Segments of each window, in the windows' order. */
export async function findSegments(
  detector: BatchDetector,
  windows: readonly Int16Array[],
): Promise<SpeechSegment[][]> {
  const probabilities = await detector.probabilitiesOf(windows)
  return windows.map(({ length }, index) =>
    speechSegments({ ...SEGMENT_DEFAULTS, probabilities: probabilities[index] ?? [], samples: length }),
  )
}
