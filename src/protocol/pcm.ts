/**
 * Audio on the wire: standard base64 (RFC 4648, section 4) of raw little-endian 16-bit mono samples. Strict: padding is
 * required, line breaks, spaces and other alphabets are refused, and there is at least one whole sample. Bits left over
 * in the last character are not looked at; the RFC leaves that to the decoder.
 */

import { base64ByteLength } from '../base/base64.js'

export type Pcm16Bytes =
  | { readonly ok: true; readonly bytes: Uint8Array }
  /** Why it is no audio, for a person: reads on after the name of the field. */
  | { readonly ok: false; readonly problem: string }

export type Pcm16Length =
  | { readonly ok: true; readonly byteLength: number }
  | { readonly ok: false; readonly problem: string }

/** Decodes any JSON value that should be audio. */
export function decodePcm16(text: unknown): Pcm16Bytes {
  const length = pcm16ByteLength(text)
  return length.ok ? { ok: true, bytes: Buffer.from(text as string, 'base64') } : length
}

/** The same judgement without the bytes: for a verdict, which counts audio and never looks at it. */
export function pcm16ByteLength(text: unknown): Pcm16Length {
  if (typeof text !== 'string') return refuse(text === undefined ? 'is absent' : 'is not a string')
  if (text === '') return refuse('is empty')
  const validLength = base64ByteLength(text)
  if (validLength !== undefined) return evenLength(validLength)
  const paddingLength = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  // Searching for the first wrong character cannot backtrack, however long a frame a server sends.
  const wrongAt = text.slice(0, text.length - paddingLength).search(/[^A-Za-z0-9+/]/)
  if (wrongAt >= 0) {
    return refuse(`is not base64: ${JSON.stringify(text.charAt(wrongAt))} at character ${wrongAt + 1}`)
  }
  if (text.length % 4 !== 0) {
    return refuse(`is not base64: ${text.length} characters, which is no multiple of 4 (is the padding missing?)`)
  }
  return evenLength((text.length / 4) * 3 - paddingLength)
}

function evenLength(byteLength: number): Pcm16Length {
  if (byteLength % 2 !== 0) return refuse(`has ${byteLength} bytes; 16-bit samples need an even number`)
  return { ok: true, byteLength }
}

function refuse(problem: string): Pcm16Length & { readonly ok: false } {
  return { ok: false, problem }
}
