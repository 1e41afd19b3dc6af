/** The samples of a parsed WAV file, one channel at a time. */
import { assert } from '../base/errors.js'
import type { WavAudio, WavEncoding } from './wav.js'

const WIDTH_BYTES: Readonly<Record<WavEncoding, number>> = {
  pcm8: 1,
  pcm16: 2,
  pcm24: 3,
  pcm32: 4,
  float32: 4,
  float64: 8,
}

/**
 * One channel as numbers of full scale 1: PCM is divided by 2^(bits − 1), which is exact for every width here (8-bit PCM
 * is unsigned with silence at 128); float samples are taken as they are, beyond ±1 too.
 * @returns `audio.frames` values
 */
export function wavChannel(audio: WavAudio, channelIndex: number): Float64Array {
  assert(channelIndex >= 0 && channelIndex < audio.channels, `channel ${channelIndex} of ${audio.channels}`)
  const { data, encoding, frames } = audio
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const widthBytes = WIDTH_BYTES[encoding]
  const stepBytes = widthBytes * audio.channels
  const samples = new Float64Array(frames)
  let at = widthBytes * channelIndex
  for (let index = 0; index < frames; index += 1, at += stepBytes) samples[index] = sampleAt(view, at, encoding)
  return samples
}

/** The samples of mono PCM16 as they stand in the file. @returns `audio.frames` values in a buffer of their own */
export function wavMonoPcm16(audio: WavAudio): Int16Array {
  assert(audio.encoding === 'pcm16' && audio.channels === 1, `${audio.encoding}, ${audio.channels} channels`)
  const view = new DataView(audio.data.buffer, audio.data.byteOffset, audio.data.byteLength)
  const samples = new Int16Array(audio.frames)
  for (let index = 0; index < samples.length; index += 1) samples[index] = view.getInt16(2 * index, true)
  return samples
}

function sampleAt(view: DataView, at: number, encoding: WavEncoding): number {
  switch (encoding) {
    case 'pcm8':
      return (view.getUint8(at) - 128) / 128
    case 'pcm16':
      return view.getInt16(at, true) / 32_768
    case 'pcm24':
      return ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608
    case 'pcm32':
      return view.getInt32(at, true) / 2_147_483_648
    case 'float32':
      return view.getFloat32(at, true)
    case 'float64':
      return view.getFloat64(at, true)
  }
}
