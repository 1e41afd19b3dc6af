/** Standard base64 (RFC 4648, section 4), judged at the speed of the runtime's own decoder. */

let scratch = Buffer.alloc(64 * 1024)

/**
 * Bytes that a text encodes, where it is base64 in every character: standard alphabet, padded, nothing else in it. Undefined
 * for any other text. Bits left over in the last character are not looked at; the RFC leaves that to the decoder.
 *
 * The runtime's decoder passes over what it does not know, takes the alphabet for URLs as well, and ends at padding: so a text
 * that has none of these and yields as many bytes as its length promises has no other character in it.
 */
export function base64ByteLength(text: string): number | undefined {
  const { length } = text
  if (length === 0 || length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  if (text.indexOf('=') !== (padding === 0 ? -1 : length - padding)) return undefined
  if (text.includes('-') || text.includes('_')) return undefined
  const bytes = (length / 4) * 3 - padding
  if (scratch.length < bytes) scratch = Buffer.alloc(2 * bytes)
  return scratch.write(text, 0, bytes, 'base64') === bytes ? bytes : undefined
}
