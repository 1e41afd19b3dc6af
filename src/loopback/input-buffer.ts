/**
 * The input side of one session: accepts packets in order, keeps count in whole samples, and cuts units. Pure.
 *
 *   accepted = consumed (its units are done) + queued (cut, not done) + pending (not cut yet) + discarded (cleared)
 *
 * Discarded audio leaves the input timeline of packets as it was (`t_start_ms` goes on counting it) but is in no unit:
 * units are cut from what was kept.
 */
import { type Refusal, refuse } from './refusal.js'

export interface CutUnit {
  readonly index: number
  /** Without padding; shorter than a unit only at the end of the input. */
  readonly pcm: Int16Array
}

export interface InputBufferSettings {
  readonly sampleRateHz: number
  readonly unitSamples: number
  readonly maxQueuedBytes: number
}

const T_START_TOLERANCE_MS = 1e-7
const BYTES_PER_SAMPLE = 2

export class InputBuffer {
  readonly #settings: InputBufferSettings
  #nextSeq = 0
  #acceptedSamples = 0
  #consumedSamples = 0
  #discardedSamples = 0
  #unitsCut = 0
  #pending: Int16Array[] = []
  #pendingSamples = 0

  constructor(settings: InputBufferSettings) {
    this.#settings = settings
  }

  get acceptedMs(): number {
    return this.#ms(this.#acceptedSamples)
  }

  get consumedMs(): number {
    return this.#ms(this.#consumedSamples)
  }

  get discardedMs(): number {
    return this.#ms(this.#discardedSamples)
  }

  get unitsCut(): number {
    return this.#unitsCut
  }

  /** Silence that fills up the last unit, once everything has been cut. */
  get paddingMs(): number {
    const kept = this.#acceptedSamples - this.#discardedSamples
    return this.#ms(this.#unitsCut * this.#settings.unitSamples - kept)
  }

  /** @returns why the packet was not accepted; it then leaves no trace, and the same `seq` is expected again */
  append(pcm: Int16Array, { seq, tStartMs }: { readonly seq: number; readonly tStartMs: number | undefined }) {
    const refusal = this.#problemOf(pcm, seq, tStartMs)
    if (refusal !== undefined) return refusal
    this.#nextSeq += 1
    this.#acceptedSamples += pcm.length
    this.#pending.push(pcm)
    this.#pendingSamples += pcm.length
    return undefined
  }

  /** The units that are complete now. */
  cutUnits(): CutUnit[] {
    const { unitSamples } = this.#settings
    if (this.#pendingSamples < unitSamples) return []
    const units: CutUnit[] = []
    const all = this.#takePending()
    let from = 0
    for (; from + unitSamples <= all.length; from += unitSamples) units.push(this.#unit(all, from, from + unitSamples))
    this.#keep(all.subarray(from))
    return units
  }

  /** The short last unit; undefined when nothing is left over. */
  cutTail(): CutUnit | undefined {
    if (this.#pendingSamples === 0) return undefined
    const all = this.#takePending()
    return this.#unit(all, 0, all.length)
  }

  consumed(unit: CutUnit): void {
    this.#consumedSamples += unit.pcm.length
  }

  /** Drops what is not in a unit yet. @returns how much that was */
  clear(): number {
    const cleared = this.#takePending().length
    this.#discardedSamples += cleared
    return this.#ms(cleared)
  }

  msOf(samples: number): number {
    return this.#ms(samples)
  }

  #problemOf(pcm: Int16Array, seq: number, tStartMs: number | undefined): Refusal | undefined {
    if (seq !== this.#nextSeq) {
      return refuse('invalid_state', `seq is ${seq}, expected ${this.#nextSeq}`, 'sglang.seq')
    }
    if (tStartMs !== undefined && !(Math.abs(tStartMs - this.acceptedMs) <= T_START_TOLERANCE_MS)) {
      return refuse('invalid_state', `t_start_ms is ${tStartMs}, expected ${this.acceptedMs}`, 'sglang.t_start_ms')
    }
    const queuedSamples = this.#acceptedSamples - this.#consumedSamples - this.#discardedSamples
    if ((queuedSamples + pcm.length) * BYTES_PER_SAMPLE > this.#settings.maxQueuedBytes) {
      return refuse('buffer_overflow', `more than ${this.#settings.maxQueuedBytes} bytes would be queued`, 'audio')
    }
    return undefined
  }

  #unit(all: Int16Array, from: number, to: number): CutUnit {
    return { index: this.#unitsCut++, pcm: all.subarray(from, to) }
  }

  #takePending(): Int16Array {
    const [first] = this.#pending
    const all = this.#pending.length === 1 && first !== undefined ? first : new Int16Array(this.#pendingSamples)
    if (all !== first) {
      let at = 0
      for (const piece of this.#pending) {
        all.set(piece, at)
        at += piece.length
      }
    }
    this.#pending = []
    this.#pendingSamples = 0
    return all
  }

  #keep(rest: Int16Array): void {
    if (rest.length === 0) return
    this.#pending.push(rest)
    this.#pendingSamples += rest.length
  }

  /** One division of whole numbers: exact wherever the result is, at 16 kHz always. */
  #ms(samples: number): number {
    return (samples * 1000) / this.#settings.sampleRateHz
  }
}
