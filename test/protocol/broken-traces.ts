/** A valid trace, one thing broken in it, and the check that must say so. */
import type { CheckId } from '../../src/protocol/check-catalog.js'
import type { TraceDraft } from '../helpers/trace-mutations.js'
import { BROKEN_COMMON } from './broken-common.js'
import { BROKEN_LEGACY } from './broken-legacy.js'
import { BROKEN_NATIVE } from './broken-native.js'
import { BROKEN_OPENAI } from './broken-openai.js'
import { BROKEN_TURN_BASED } from './broken-turn-based.js'
import { BROKEN_VLLM } from './broken-vllm.js'
import type { BaseName } from './fixtures.js'

export interface BrokenTrace {
  readonly check: CheckId
  readonly name: string
  readonly base: BaseName
  readonly breakIt: (trace: TraceDraft) => TraceDraft
  /** Further checks that the same fault must break; all others must hold. */
  readonly implied?: readonly CheckId[]
  readonly admissionRetryLimit?: number
  /** Judged as a profile whose output is continuous. */
  readonly isContinuous?: boolean
}

export const BROKEN_TRACES: readonly BrokenTrace[] = [
  ...BROKEN_COMMON,
  ...BROKEN_NATIVE,
  ...BROKEN_TURN_BASED,
  ...BROKEN_LEGACY,
  ...BROKEN_OPENAI,
  ...BROKEN_VLLM,
]
