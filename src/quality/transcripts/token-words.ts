/** Tokens of a transducer (word pieces with times) to words. Pure. Source: sherpa-onnx, offline transducer results. */
import type { Word } from './transcript.js'

export interface TimedTokens {
  readonly tokens: readonly string[]
  /** Start of each token in seconds. */
  readonly timestamps: readonly number[]
  /** Length of each token in seconds; models without durations give none. */
  readonly durations: readonly number[]
}

/** What sentence piece models write for a blank before a word. */
const WORD_MARK = '\u2581'

/**
 * A word begins at a token that begins with a blank (or U+2581) and lasts to the end of its last token. Without durations
 * its end is null. A token that is a lone blank begins a word and adds nothing to it; a word of blanks alone is none.
 * @returns the words; a problem as a phrase where the lists do not fit together
 */
export function wordsOfTokens({
  tokens,
  timestamps,
  durations,
}: TimedTokens): { readonly ok: true; readonly words: Word[] } | { readonly ok: false; readonly problem: string } {
  if (timestamps.length !== tokens.length) {
    return { ok: false, problem: `gives ${tokens.length} tokens and ${timestamps.length} times` }
  }
  if (durations.length !== 0 && durations.length !== tokens.length) {
    return { ok: false, problem: `gives ${tokens.length} tokens and ${durations.length} durations` }
  }
  const words: Word[] = []
  let open: Word | undefined
  const close = () => {
    if (open !== undefined && open.text !== '') words.push(open)
    open = undefined
  }
  for (const [index, token] of tokens.entries()) {
    const startS = timestamps[index] as number
    const durationS = durations[index]
    if (!Number.isFinite(startS)) return { ok: false, problem: `gives no time for token ${index + 1}` }
    const endS = durationS === undefined || !Number.isFinite(durationS) ? null : startS + durationS
    const isFirst = token.startsWith(' ') || token.startsWith(WORD_MARK)
    const text = token.replaceAll(WORD_MARK, ' ').trim()
    if (isFirst) close()
    // A word starts where its first sounding token does.
    open = open === undefined || open.text === '' ? { text, startS, endS } : { ...open, text: open.text + text, endS }
  }
  close()
  return { ok: true, words }
}
