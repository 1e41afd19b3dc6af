/**
 * The `type` of a received message, found without parsing the message: most of what a server sends under load is recorded
 * and not acted on, and needs no more than this while packets are being sent.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const COMMA = 0x2c
/** No event of any protocol has a longer one. */
const MAX_TYPE_BYTES = 128
const TYPE_KEY = Buffer.from('type')

/**
 * The first top-level `type` of the JSON object that `bytes[from, to)` holds, where it is a plain string. Undefined
 * wherever the text up to there is not JSON as it should be, or the text does not end as an object: whoever asks has to
 * parse the message then. That the rest of the text is JSON is not known.
 */
export function messageType(bytes: Buffer, from: number, to: number): string | undefined {
  let at = skipBlanks(bytes, from, to)
  if (bytes[at] !== OPEN_BRACE || bytes[lastByteAt(bytes, from, to)] !== CLOSE_BRACE) return undefined
  do {
    at = skipBlanks(bytes, at + 1, to)
    if (bytes[at] !== QUOTE) return undefined
    const keyEnd = stringEnd(bytes, at, to)
    if (keyEnd < 0) return undefined
    const isType = isTypeKey(bytes, at + 1, keyEnd - 1)
    at = skipBlanks(bytes, keyEnd, to)
    if (bytes[at] !== COLON) return undefined
    at = skipBlanks(bytes, at + 1, to)
    const end = valueEnd(bytes, at, to)
    if (end < 0) return undefined
    if (isType) return bytes[at] === QUOTE ? plainString(bytes, at + 1, end - 1) : undefined
    at = skipBlanks(bytes, end, to)
  } while (bytes[at] === COMMA)
  return undefined
}

function isTypeKey(bytes: Buffer, from: number, to: number): boolean {
  if (to - from !== TYPE_KEY.length) return false
  for (let index = 0; index < TYPE_KEY.length; index += 1) if (bytes[from + index] !== TYPE_KEY[index]) return false
  return true
}

function plainString(bytes: Buffer, from: number, to: number): string | undefined {
  if (to - from > MAX_TYPE_BYTES) return undefined
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number
    if (byte < 0x20 || byte >= 0x7f || byte === BACKSLASH) return undefined
  }
  return bytes.toString('latin1', from, to)
}

/** Just behind the closing quote; -1 where there is none. @param at of the opening quote */
function stringEnd(bytes: Buffer, at: number, to: number): number {
  // Short strings are walked through, long ones (audio) searched by the runtime.
  const near = Math.min(to, at + 64)
  for (let index = at + 1; index < near; index += 1) {
    if (bytes[index] === BACKSLASH) return escapedStringEnd(bytes, index, to)
    if (bytes[index] === QUOTE) return index + 1
  }
  const quote = bytes.indexOf(QUOTE, near)
  if (quote < 0 || quote >= to) return -1
  const backslash = bytes.subarray(near, quote).indexOf(BACKSLASH)
  return backslash < 0 ? quote + 1 : escapedStringEnd(bytes, near + backslash, to)
}

/** @param at of the first backslash */
function escapedStringEnd(bytes: Buffer, at: number, to: number): number {
  for (let index = at; index < to; index += 1) {
    if (bytes[index] === BACKSLASH) index += 1
    else if (bytes[index] === QUOTE) return index + 1
  }
  return -1
}

/** Just behind a value of any kind; -1 where it does not end, or nothing begins here. */
function valueEnd(bytes: Buffer, from: number, to: number): number {
  const first = bytes[from]
  if (first === QUOTE) return stringEnd(bytes, from, to)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return nestedEnd(bytes, from, to)
  let at = from
  while (at < to && isScalarByte(bytes[at] as number)) at += 1
  return at > from ? at : -1
}

/** Letters, digits, dot and signs: of numbers and of the words true, false and null. */
function isScalarByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x45 ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e
  )
}

function nestedEnd(bytes: Buffer, from: number, to: number): number {
  let depth = 0
  let at = from
  while (at < to) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      at = stringEnd(bytes, at, to)
      if (at < 0) return -1
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1
      if (depth === 0) return at + 1
    }
    at += 1
  }
  return -1
}

function skipBlanks(bytes: Buffer, from: number, to: number): number {
  let at = from
  while (at < to && isBlank(bytes[at] as number)) at += 1
  return at
}

function lastByteAt(bytes: Buffer, from: number, to: number): number {
  let at = to - 1
  while (at > from && isBlank(bytes[at] as number)) at -= 1
  return at
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}
