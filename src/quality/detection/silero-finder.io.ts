/** Finds speech in exported windows with Silero VAD: few windows in this thread, many in threads of their own. */
import { availableParallelism } from 'node:os'
import { assert } from '../../base/errors.js'
import { BATCH_ROWS, loadSpeechDetector } from '../../speech/detector.io.js'
import { SEGMENT_DEFAULTS, type SpeechSegment } from '../../speech/speech-segments.js'
import type { SpeechIdentity } from '../unified/unified-result.js'
import { dealWindows } from './deal-windows.js'
import { DetectionThreads } from './detection-threads.io.js'
import { findSegments } from './find-segments.js'
import type { SpeechFinder } from './speech-finder.js'

export interface SpeechFinderOptions {
  /** Threads at most; one for each core by default. With 0 everything is found in the calling thread. */
  readonly threads?: number
  /** Another copy of the model. It has to be the same: the metrics are defined with it. */
  readonly modelPath?: string
  /** The entry of a thread; the compiled one beside this file by default. */
  readonly script?: string
}

/**
 * Loads the model and checks its hash. No more than one batch is detected in the calling thread, since a thread would only
 * add the time of its start; more windows go to threads, which start when they are first needed.
 * @throws UserError MODEL_HASH where the model is another; FILE_UNREADABLE where it cannot be read
 */
export async function createSpeechFinder(options: SpeechFinderOptions = {}): Promise<SpeechFinder> {
  const { threads = availableParallelism(), modelPath, script } = options
  assert(Number.isInteger(threads) && threads >= 0, `a whole number of threads, not ${threads}`)
  const detector = await loadSpeechDetector({
    ...(modelPath === undefined ? {} : { modelPath }),
    requiresKnownModel: true,
  })
  const pool = new DetectionThreads({ threads, modelPath, script })
  let isClosed = false

  return {
    identity: sileroIdentity(detector.modelSha256),
    async find(windows) {
      assert(!isClosed, 'the speech finder is closed')
      if (threads === 0 || windows.length <= BATCH_ROWS) return findSegments(detector, windows)
      const lengths = windows.map(({ length }) => length)
      const jobs = dealWindows(lengths, { threads, rows: BATCH_ROWS })
      const found = await Promise.all(jobs.map((job) => pool.find(job.map((index) => windows[index] as Int16Array))))
      const segments: SpeechSegment[][] = windows.map(() => [])
      for (const [job, indexes] of jobs.entries()) {
        for (const [at, index] of indexes.entries()) segments[index] = found[job]?.[at] as SpeechSegment[]
      }
      return segments
    },
    async close() {
      isClosed = true
      await pool.close()
    },
  }
}

/** Who found the segments, and how: part of every score that counts them. */
function sileroIdentity(modelSha256: string): SpeechIdentity {
  const { threshold, negThreshold, minSpeechMs, minSilenceMs, padMs } = SEGMENT_DEFAULTS
  return {
    kind: 'silero',
    version: '6.2',
    model_sha256: modelSha256,
    settings: {
      threshold,
      neg_threshold: negThreshold,
      min_speech_ms: minSpeechMs,
      min_silence_ms: minSilenceMs,
      pad_ms: padMs,
    },
  }
}
