/**
 * What load does to the conversation, where the options ask for it: with each session that is open beside the one that
 * answers, replies come later (`laterMs`), or the model has less patience with a silence (`jumpierMs`). Both are 0 unless
 * asked for, and both change when a reply starts and nothing of what the accelerator computes. Pure.
 *
 *   model in units     starts a reply after   max(0, silence + others * (laterMs - jumpierMs))   of silence
 *   server with turns  ends a turn after      max(0, silence - others * jumpierMs)               of silence,
 *                      asks for its first chunk  others * laterMs  after the reply began
 */
import type { LoopbackOptions } from './options.js'
import type { LoopbackSessionParts } from './session.js'

type Behaviour = Pick<LoopbackOptions, 'laterMs' | 'jumpierMs'>

/** Silence after which a model that hears in units answers. @param othersOpen sessions open beside its own */
export function patienceMs(
  options: Behaviour & Pick<LoopbackOptions, 'replyAfterSilenceMs'>,
  othersOpen: number,
): number {
  const { replyAfterSilenceMs, laterMs, jumpierMs } = options
  return Math.max(0, replyAfterSilenceMs + othersOpen * (laterMs - jumpierMs))
}

/** By how much the silence that ends a turn is shortened now. */
export function turnHasteMs({ options, othersOpen }: Pick<LoopbackSessionParts, 'options' | 'othersOpen'>): number {
  return othersOpen() * options.jumpierMs
}

/** By how much the first audio of a reply to a turn is put off now. */
export function replyDelayMs({ options, othersOpen }: Pick<LoopbackSessionParts, 'options' | 'othersOpen'>): number {
  return othersOpen() * options.laterMs
}
