/**
 * A strict reader of RIFF/WAVE files and a writer of mono PCM16. Bytes in, samples out; it knows no file and no policy.
 * A file that is cut short or holds nothing is a problem with a reason, never silently shorter audio.
 *
 *   RIFF size WAVE | fmt  size … | (LIST size …) | data size samples… | (pad byte where size is odd) | …
 *
 * Source: Microsoft/IBM "Multimedia Programming Interface and Data Specifications 1.0" (RIFF, WAVE), Microsoft's
 * WAVE_FORMAT_EXTENSIBLE, EBU Tech 3306 (RF64).
 */
import { assert } from '../base/errors.js'

export const WAV_ENCODINGS = ['pcm8', 'pcm16', 'pcm24', 'pcm32', 'float32', 'float64'] as const
export type WavEncoding = (typeof WAV_ENCODINGS)[number]

export interface WavAudio {
  readonly ok: true
  readonly sampleRateHz: number
  readonly channels: number
  readonly encoding: WavEncoding
  /** Samples of one channel; at least 1. */
  readonly frames: number
  /** The interleaved samples as they stand in the file, whole frames, a view of the bytes given. */
  readonly data: Uint8Array
}

export interface WavProblem {
  readonly ok: false
  /** What kind of remedy helps: nothing is there, some is missing, or it has to be converted. */
  readonly kind: 'empty' | 'truncated' | 'unsupported'
  /** One phrase with the value seen, without the file's name. */
  readonly problem: string
}

const FORMAT_PCM = 0x0001
const FORMAT_FLOAT = 0x0003
const FORMAT_EXTENSIBLE = 0xfffe
/** Bytes 2 to 15 of the sub-format identifier of every format that is a plain format tag. */
const SUB_FORMAT_TAIL = '000000001000800000aa00389b71'
/** Sizes of writers that cannot seek back: the largest 32-bit value, and sox's, rounded down to whole frames. */
const UNBOUNDED_SIZE = 0xffffffff
const UNBOUNDED_SIZE_SOX = 0x7ffff000

/**
 * Reads a WAV file held in memory.
 * Accepts PCM of 8, 16, 24 and 32 bits and IEEE float of 32 and 64 bits in any number of channels, plain or
 * WAVE_FORMAT_EXTENSIBLE, RIFF or RF64; any chunks before `fmt ` and `data`; a data size left open by a streaming
 * writer (all that follows is audio). Chunks and bytes after the audio are ignored. Never throws.
 * @param bytes the whole file; may be a view at any offset of its buffer
 */
export function parseWav(bytes: Uint8Array): WavAudio | WavProblem {
  if (bytes.length === 0) return { ok: false, kind: 'empty', problem: 'is an empty file (0 bytes)' }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const form = bytes.length < 4 ? '' : tagAt(view, 0)
  if (form !== 'RIFF' && form !== 'RF64') {
    return unsupported(`is not a WAV file (starts with ${printable(bytes.subarray(0, 4))}, not "RIFF")`)
  }
  if (bytes.length < 12) return truncated(`is cut off in its first header (${bytes.length} bytes)`)
  if (tagAt(view, 8) !== 'WAVE') {
    return unsupported(`is not a WAV file (RIFF of type ${printable(bytes.subarray(8, 12))}, not "WAVE")`)
  }

  let format: Format | undefined
  let longDataBytes: number | undefined
  for (let at = 12; at + 8 <= bytes.length; ) {
    const tag = tagAt(view, at)
    const sizeBytes = view.getUint32(at + 4, true)
    const bodyAt = at + 8
    if (tag === 'data') {
      if (format === undefined) return unsupported('has no fmt chunk before its data chunk')
      return readAudio(bytes, { bodyAt, sizeBytes, format, longDataBytes: form === 'RF64' ? longDataBytes : undefined })
    }
    const heldBytes = bytes.length - bodyAt
    if (tag === 'fmt ' || tag === 'ds64') {
      if (heldBytes < sizeBytes) {
        return truncated(`is cut off in its ${tag.trim()} chunk (declares ${sizeBytes} bytes and holds ${heldBytes})`)
      }
      const body = new DataView(bytes.buffer, bytes.byteOffset + bodyAt, sizeBytes)
      if (tag === 'fmt ') {
        const read = readFormat(body)
        if ('problem' in read) return read
        format = read
      } else if (sizeBytes >= 16) {
        longDataBytes = Number(body.getBigUint64(8, true))
      }
    }
    // Chunks start at even offsets; a chunk of odd size is followed by one byte that its size leaves out.
    at = bodyAt + sizeBytes + (sizeBytes & 1)
  }
  return format === undefined ? unsupported('has no fmt chunk') : unsupported('has no data chunk')
}

/** Writes a mono PCM16 WAV file with a 44-byte header. @returns `44 + 2 × samples` bytes, in a buffer of their own */
export function encodeWav16(audio: { readonly samples: Int16Array; readonly sampleRateHz: number }): Uint8Array {
  const { samples, sampleRateHz } = audio
  assert(samples.length <= (0xffffffff - 36) / 2, `a WAV file cannot hold ${samples.length} samples`)
  const bytes = new Uint8Array(44 + 2 * samples.length)
  const view = new DataView(bytes.buffer)
  writeTag(bytes, 0, 'RIFF')
  view.setUint32(4, 36 + 2 * samples.length, true)
  writeTag(bytes, 8, 'WAVE')
  writeTag(bytes, 12, 'fmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, FORMAT_PCM, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRateHz, true)
  view.setUint32(28, 2 * sampleRateHz, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  writeTag(bytes, 36, 'data')
  view.setUint32(40, 2 * samples.length, true)
  for (let index = 0; index < samples.length; index += 1) view.setInt16(44 + 2 * index, samples[index] ?? 0, true)
  return bytes
}

interface Format {
  readonly sampleRateHz: number
  readonly channels: number
  readonly encoding: WavEncoding
  readonly frameBytes: number
}

function readFormat(body: DataView): Format | WavProblem {
  if (body.byteLength < 16) return unsupported(`has a fmt chunk of ${body.byteLength} bytes (at least 16 are needed)`)
  let formatTag = body.getUint16(0, true)
  const channels = body.getUint16(2, true)
  const sampleRateHz = body.getUint32(4, true)
  const frameBytes = body.getUint16(12, true)
  const bits = body.getUint16(14, true)
  if (formatTag === FORMAT_EXTENSIBLE) {
    if (body.byteLength < 40) {
      return unsupported(`has an extensible fmt chunk of ${body.byteLength} bytes (40 are needed)`)
    }
    formatTag = body.getUint16(24, true)
    let tail = ''
    for (let at = 26; at < 40; at += 1) tail += body.getUint8(at).toString(16).padStart(2, '0')
    if (tail !== SUB_FORMAT_TAIL) return unsupported('has an unknown extensible sub-format')
  }
  if (formatTag !== FORMAT_PCM && formatTag !== FORMAT_FLOAT) {
    return unsupported(`holds compressed audio (format tag 0x${formatTag.toString(16).padStart(4, '0')})`)
  }
  const encoding = WAV_ENCODINGS.find((name) => name === `${formatTag === FORMAT_PCM ? 'pcm' : 'float'}${bits}`)
  if (encoding === undefined) {
    return unsupported(`holds ${bits}-bit ${formatTag === FORMAT_PCM ? 'PCM' : 'float'} samples`)
  }
  if (channels === 0) return unsupported('declares 0 channels')
  if (sampleRateHz === 0) return unsupported('declares a sample rate of 0 Hz')
  if (frameBytes !== (channels * bits) / 8) {
    return unsupported(
      `declares ${frameBytes} bytes a frame, but ${channels} × ${bits} bits are ${(channels * bits) / 8}`,
    )
  }
  return { sampleRateHz, channels, encoding, frameBytes }
}

function readAudio(
  bytes: Uint8Array,
  chunk: {
    readonly bodyAt: number
    readonly sizeBytes: number
    readonly format: Format
    /** The 64-bit data size of an RF64 file. */
    readonly longDataBytes: number | undefined
  },
): WavAudio | WavProblem {
  const { bodyAt, sizeBytes, format, longDataBytes } = chunk
  const { frameBytes, encoding, sampleRateHz, channels } = format
  const heldBytes = bytes.length - bodyAt
  const declaredBytes = sizeBytes === UNBOUNDED_SIZE && longDataBytes !== undefined ? longDataBytes : sizeBytes
  const isUnbounded =
    declaredBytes === UNBOUNDED_SIZE || declaredBytes === UNBOUNDED_SIZE_SOX - (UNBOUNDED_SIZE_SOX % frameBytes)
  if (!isUnbounded && declaredBytes > heldBytes) {
    return truncated(`is cut short (declares ${declaredBytes} bytes of audio and holds ${heldBytes})`)
  }
  let audioBytes = isUnbounded ? heldBytes : declaredBytes
  if (isUnbounded && isPadded(bytes, { heldBytes, frameBytes })) audioBytes -= 1
  if (audioBytes === 0) return { ok: false, kind: 'empty', problem: 'holds no audio (a data chunk of 0 bytes)' }
  if (audioBytes % frameBytes !== 0) {
    return truncated(`does not hold whole frames (${audioBytes} bytes of audio in frames of ${frameBytes} bytes)`)
  }
  const data = bytes.subarray(bodyAt, bodyAt + audioBytes)
  const notFinite = encoding === 'float32' || encoding === 'float64' ? firstNotFinite(data, encoding) : undefined
  if (notFinite !== undefined) return unsupported(`holds a sample that is not a number (sample ${notFinite})`)
  return { ok: true, sampleRateHz, channels, encoding, frames: audioBytes / frameBytes, data }
}

/** Whether the last byte of audio of open size is the pad byte after an odd number of bytes. */
function isPadded(bytes: Uint8Array, sizes: { readonly heldBytes: number; readonly frameBytes: number }): boolean {
  const { heldBytes, frameBytes } = sizes
  return frameBytes > 1 && heldBytes % 2 === 0 && heldBytes % frameBytes === 1 && bytes.at(-1) === 0
}

function firstNotFinite(data: Uint8Array, encoding: 'float32' | 'float64'): number | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const widthBytes = encoding === 'float32' ? 4 : 8
  for (let at = 0; at < data.length; at += widthBytes) {
    const value = widthBytes === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true)
    if (!Number.isFinite(value)) return at / widthBytes
  }
  return undefined
}

function unsupported(problem: string): WavProblem {
  return { ok: false, kind: 'unsupported', problem }
}

function truncated(problem: string): WavProblem {
  return { ok: false, kind: 'truncated', problem }
}

function tagAt(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))
}

function writeTag(bytes: Uint8Array, at: number, tag: string): void {
  for (let index = 0; index < 4; index += 1) bytes[at + index] = tag.charCodeAt(index)
}

/** Up to four bytes as text where they are printable ASCII, else as hex. */
function printable(bytes: Uint8Array): string {
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  return isText ? JSON.stringify(String.fromCharCode(...bytes)) : `0x${Buffer.from(bytes).toString('hex')}`
}
