import { describe, expect, it } from 'vitest'
import { decodePcm16, pcm16ByteLength } from '../../src/protocol/pcm.js'

const REFUSED: readonly { name: string; input: unknown; problem: RegExp }[] = [
  { name: 'nothing', input: undefined, problem: /absent/ },
  { name: 'null', input: null, problem: /not a string/ },
  { name: 'a list of bytes', input: [1, 2], problem: /not a string/ },
  { name: 'an empty text', input: '', problem: /empty/ },
  { name: 'padding alone', input: '==', problem: /multiple of 4/ },
  { name: 'missing padding', input: 'AQA', problem: /multiple of 4/ },
  { name: 'too much padding', input: 'A===', problem: /"=" at character 2/ },
  { name: 'padding in the middle', input: 'AQ==AQA=', problem: /"=" at character 3/ },
  { name: 'a line break', input: 'AQA=\n', problem: /at character 4/ },
  { name: 'a line break inside', input: 'AQAB\nAQABAQA=', problem: /at character 5/ },
  { name: 'a space', input: ' AQA=', problem: /at character 1/ },
  { name: 'the URL alphabet', input: 'A_-=', problem: /"_" at character 2/ },
  { name: 'a data URL', input: 'data:audio/pcm;base64,AQA=', problem: /":" at character 5/ },
  { name: 'one byte', input: 'AQ==', problem: /1 bytes/ },
  { name: 'three bytes', input: 'AQAB', problem: /3 bytes/ },
]

describe('audio on the wire', () => {
  it('decodes to its bytes', () => {
    expect(decodePcm16('AQACAA==')).toEqual({ ok: true, bytes: Buffer.from([1, 0, 2, 0]) })
    expect(pcm16ByteLength('AQACAA==')).toEqual({ ok: true, byteLength: 4 })
    expect(pcm16ByteLength('//8=')).toEqual({ ok: true, byteLength: 2 })
  })

  it('has the lengths that packets have', () => {
    for (const [bytes, characters] of [
      [2560, 3416],
      [3528, 4704],
      [3840, 5120],
    ] as const) {
      const text = Buffer.alloc(bytes, 1).toString('base64')
      expect(text.length).toBe(characters)
      expect(pcm16ByteLength(text)).toEqual({ ok: true, byteLength: bytes })
    }
  })

  for (const { name, input, problem } of REFUSED) {
    it(`refuses ${name}`, () => {
      const decoded = decodePcm16(input)
      expect(decoded).toEqual({ ok: false, problem: expect.stringMatching(problem) })
      expect(pcm16ByteLength(input)).toEqual(decoded)
    })
  }
})
