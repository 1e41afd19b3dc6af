/** A command line to words, as a shell splits it, and nothing else a shell does: no variables, patterns, pipes. Pure. */

/**
 * Splits at blanks. `'…'` is taken as it stands; in `"…"` and outside of quotes a backslash takes the next character as it
 * is (in `"…"` only before `"` and `\`).
 * @returns the words; none for a blank text
 */
export function splitCommand(
  text: string,
): { readonly ok: true; readonly words: string[] } | { readonly ok: false; readonly problem: string } {
  const words: string[] = []
  let word: string | undefined
  let quote: '"' | "'" | undefined
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    const next = text[at + 1]
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
    } else if (character === quote) {
      quote = undefined
    } else if (character === '\\' && (quote === undefined || (quote === '"' && (next === '"' || next === '\\')))) {
      if (next === undefined) return { ok: false, problem: 'ends in a backslash' }
      word = (word ?? '') + next
      at += 1
    } else {
      word = (word ?? '') + character
    }
  }
  if (quote !== undefined) return { ok: false, problem: `has a ${quote} that is not closed` }
  if (word !== undefined) words.push(word)
  return { ok: true, words }
}
