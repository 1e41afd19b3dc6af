/** Text that is safe inside XML 1.0. Pure. */

/** ` name="value"` pairs in the order of the object. */
export function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeAttribute(value)}"`)
    .join(' ')
}

/** Line breaks and tabs are kept: a parser would turn bare ones into blanks. */
function escapeAttribute(text: string): string {
  return escapeText(text)
    .replace(/"/g, '&quot;')
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

export function escapeText(text: string): string {
  return allowed(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

/** Characters that no XML 1.0 document may hold, not even escaped, become the replacement character. */
function allowed(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML forbids, beside halves of a pair
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
}
