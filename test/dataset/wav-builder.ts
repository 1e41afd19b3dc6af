/** Builds WAV files by hand, right and wrong ones; shares nothing with the code under test. */

export type Chunk = readonly [tag: string, body: Uint8Array, declaredSize?: number]

export const SAMPLES = 801

/** A walk over the whole range of 16 bits that touches both ends. */
export const values16 = Array.from({ length: SAMPLES }, (_, i) =>
  i === 0 ? -32768 : i === 1 ? 32767 : ((i * 7919) % 65536) - 32768,
)

export function chunk([tag, body, declaredSize]: Chunk): Buffer {
  const header = Buffer.alloc(8)
  header.write(tag, 0, 'latin1')
  header.writeUInt32LE(declaredSize ?? body.length, 4)
  return Buffer.concat([header, body, Buffer.alloc(body.length % 2)])
}

export function riff(chunks: readonly Chunk[], options: { form?: string; type?: string; size?: number } = {}): Buffer {
  const body = Buffer.concat(chunks.map(chunk))
  const header = Buffer.alloc(12)
  header.write(options.form ?? 'RIFF', 0, 'latin1')
  header.writeUInt32LE(options.size ?? body.length + 4, 4)
  header.write(options.type ?? 'WAVE', 8, 'latin1')
  return Buffer.concat([header, body])
}

export interface FormatOptions {
  readonly tag?: number
  readonly channels?: number
  readonly rateHz?: number
  readonly bits?: number
  readonly frameBytes?: number
  /** The sub-format's tag; makes the chunk WAVE_FORMAT_EXTENSIBLE. */
  readonly subFormat?: number
}

export function fmt(options: FormatOptions = {}): Chunk {
  const { tag = 1, channels = 1, rateHz = 16000, bits = 16, subFormat } = options
  const frameBytes = options.frameBytes ?? (channels * bits) / 8
  const body = Buffer.alloc(subFormat === undefined ? 16 : 40)
  body.writeUInt16LE(subFormat === undefined ? tag : 0xfffe, 0)
  body.writeUInt16LE(channels, 2)
  body.writeUInt32LE(rateHz, 4)
  body.writeUInt32LE(rateHz * frameBytes, 8)
  body.writeUInt16LE(frameBytes, 12)
  body.writeUInt16LE(bits, 14)
  if (subFormat !== undefined) {
    body.writeUInt16LE(22, 16)
    body.writeUInt16LE(bits, 18)
    body.writeUInt16LE(subFormat, 24)
    Buffer.from('000000001000800000aa00389b71', 'hex').copy(body, 26)
  }
  return ['fmt ', body]
}

export function data(body: Uint8Array, declaredSize?: number): Chunk {
  return declaredSize === undefined ? ['data', body] : ['data', body, declaredSize]
}

/** `values16` in each encoding; the low bits of the wider ones are not zero. */
export const bodies = {
  pcm8: pack(1, (body, at, value) => body.writeUInt8((value + 32768) >> 8, at)),
  pcm16: pack(2, (body, at, value) => body.writeInt16LE(value, at)),
  pcm24: pack(3, (body, at, value) => body.writeIntLE(value * 256 + 37, at, 3)),
  pcm32: pack(4, (body, at, value) => body.writeInt32LE(value * 65536 + 12345, at)),
  float32: pack(4, (body, at, value) => body.writeFloatLE(value / 32768, at)),
  float64: pack(8, (body, at, value) => body.writeDoubleLE(value / 30000, at)),
}

/** What each of `bodies` means at full scale 1. */
export const expected = {
  pcm8: values16.map((value) => (((value + 32768) >> 8) - 128) / 128),
  pcm16: values16.map((value) => value / 32768),
  pcm24: values16.map((value) => (value * 256 + 37) / 2 ** 23),
  pcm32: values16.map((value) => (value * 65536 + 12345) / 2 ** 31),
  float32: values16.map((value) => value / 32768),
  float64: values16.map((value) => value / 30000),
}

/** A mono PCM16 file of these samples. */
export function wav16(values: readonly number[], rateHz = 16000): Buffer {
  const body = Buffer.alloc(2 * values.length)
  values.forEach((value, index) => {
    body.writeInt16LE(value, 2 * index)
  })
  return riff([fmt({ rateHz }), data(body)])
}

function pack(widthBytes: number, write: (body: Buffer, at: number, value: number) => void): Buffer {
  const body = Buffer.alloc(widthBytes * SAMPLES)
  values16.forEach((value, index) => {
    write(body, index * widthBytes, value)
  })
  return body
}
