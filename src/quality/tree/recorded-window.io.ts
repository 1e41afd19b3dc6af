/** One recorded session as the export writes it: its window, or why it has none. */
import type { RecordedRun } from '../../capture/run-reader.io.js'
import { readSession } from '../../capture/run-reader.io.js'
import { sha256Hex } from '../../dataset/input-clip.js'
import type { Profile } from '../../profile/profile.js'
import { DEFAULT_ADMISSION_RETRIES } from '../../protocol/verdict.js'
import type { WindowFlags } from '../window/observation-window.js'
import type { Reason } from '../window/reasons.js'
import { sessionWindow } from '../window/session-window.js'
import { itemFiles } from './item-files.io.js'
import type { RunSample } from './run-samples.io.js'

export interface RecordedWindow {
  readonly subset: string
  readonly item: string
  readonly variant: string
  readonly run: string
  /** Below the run's folder; null where no session was recorded. */
  readonly directory: string | null
  /** Of the window at 16 kHz; null where it is not known. */
  readonly windowSamples: number | null
  readonly inputSha256: string | null
  /** What was sent; only of a pair, whose inputs stand in the tree too. */
  readonly inputPcm: Int16Array | undefined
  readonly inputRateHz: number
  /** Of the dataset's audio file, as the run's books say; null where they do not. */
  readonly sourceSha256: string | null
  readonly annotation: { readonly file: string; readonly bytes: Uint8Array } | null
  /** Empty exactly when there is a window. */
  readonly reasons: readonly Reason[]
  readonly window: { readonly pcm: Int16Array; readonly flags: WindowFlags } | undefined
}

export async function recordedWindow(
  sample: RunSample,
  options: { readonly run: RecordedRun; readonly profile: Profile; readonly datasetRoot: string | undefined },
): Promise<RecordedWindow> {
  const { run, profile, datasetRoot } = options
  const { subset, item, variant, session, books } = sample
  const inputRateHz = profile.input.sample_rate_hz
  const sourceSha256 = books.source?.sha256 ?? null
  const head = { subset, item, variant, run: run.name, inputRateHz, sourceSha256 }
  if (session === undefined) {
    const detail = `no session was recorded (${books.status ?? 'unknown status'})`
    return {
      ...head,
      directory: null,
      windowSamples: books.input?.window_samples ?? null,
      inputSha256: books.input?.sha256 ?? null,
      inputPcm: undefined,
      annotation: null,
      reasons: [{ code: 'not_recorded', detail }],
      window: undefined,
    }
  }
  const recording = await readSession(session, { inputRateHz, areReceiptsRequired: run.areReceiptsRequired })
  const files = await itemFiles(sample, { datasetRoot, inputPcm: recording.inputPcm, inputRateHz })
  const made = sessionWindow({
    recording,
    profile,
    windowSamples: books.input?.window_samples ?? files.windowSamples,
    admissionRetryLimit: run.admissionRetryLimit ?? DEFAULT_ADMISSION_RETRIES,
    bookReasons: files.reasons,
  })
  const { inputPcm } = recording
  return {
    ...head,
    directory: `${run.layout === 'field' ? 'samples' : 'sessions'}/${session.name}`,
    windowSamples: made.windowSamples ?? null,
    inputSha256: inputPcm === undefined ? null : sha256Hex(inputPcm),
    inputPcm: inputPcm === undefined || !isOfPair(variant) ? undefined : samplesOf(inputPcm),
    annotation: files.annotation,
    reasons: made.ok ? [] : made.reasons,
    window: made.ok ? made.window : undefined,
  }
}

/** The two sessions of a v1.5 sample. */
export function isOfPair(variant: string): boolean {
  return variant === 'overlap' || variant === 'clean'
}

function samplesOf(bytes: Uint8Array): Int16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Int16Array.from({ length: Math.floor(bytes.byteLength / 2) }, (_, index) => view.getInt16(2 * index, true))
}
