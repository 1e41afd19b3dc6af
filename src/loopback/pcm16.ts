/** PCM16 on the wire: strict base64 of little-endian 16-bit samples. Pure. */

/** Typed arrays have the host's byte order; the wire is little-endian. */
const HOST_IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** @returns undefined for anything but standard base64, with padding, of a non-empty and even number of bytes */
export function decodePcm16(base64: string): Int16Array | undefined {
  const bytes = decodeBase64(base64)
  if (bytes === undefined || bytes.length === 0 || bytes.length % 2 !== 0) return undefined
  if (!HOST_IS_LITTLE_ENDIAN) bytes.swap16()
  const samples = new Int16Array(bytes.length / 2)
  new Uint8Array(samples.buffer).set(bytes)
  return samples
}

export function encodePcm16(samples: Int16Array): string {
  if (HOST_IS_LITTLE_ENDIAN) {
    return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64')
  }
  return Buffer.from(samples.slice().buffer).swap16().toString('base64')
}

/** Node's decoder skips what it does not know and takes the URL alphabet too; both show here. */
export function decodeBase64(base64: string): Buffer | undefined {
  if (base64.length % 4 !== 0 || base64.includes('-') || base64.includes('_')) return undefined
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === (base64.length / 4) * 3 - padding ? bytes : undefined
}
