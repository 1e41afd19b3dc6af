/**
 * The input side of a session in the vLLM duplex dialect: checks what a client says about its chunks, and cuts units.
 * Pure. The first unit is a little longer than the others: 1030 ms, then 1000 ms each. Source: docs/protocols.md, 6.3.
 */
import type { CutUnit } from './input-buffer.js'
import { type Problem, refusal } from './openai-error.js'

export const VLLM_UNIT_MS = 1000
export const VLLM_FIRST_UNIT_MS = 1030

const TOLERANCE_MS = 1e-6
const BYTES_PER_SAMPLE = 2

export interface VllmInputSettings {
  readonly sampleRateHz: number
  /** Bound on what is cut and not consumed, or not cut yet. */
  readonly maxQueuedBytes: number
}

/** What the client says of a chunk; each is checked where it is there. */
export interface ChunkClaims {
  readonly durationMs: number | undefined
  readonly audioEndMs: number | undefined
  readonly sampleRateHz: number | undefined
}

export class VllmInput {
  readonly #settings: VllmInputSettings
  #appendedSamples = 0
  #queuedSamples = 0
  #unitsCut = 0
  #pending = new Int16Array(0)

  constructor(settings: VllmInputSettings) {
    this.#settings = settings
  }

  /** @returns why the chunk was not taken; it then leaves no trace, and the same `audio_end_ms` is expected again */
  append(pcm: Int16Array, claims: ChunkClaims): Problem | undefined {
    const problem = this.#problemOf(pcm, claims)
    if (problem !== undefined) return problem
    this.#appendedSamples += pcm.length
    this.#queuedSamples += pcm.length
    const pending = new Int16Array(this.#pending.length + pcm.length)
    pending.set(this.#pending)
    pending.set(pcm, this.#pending.length)
    this.#pending = pending
    return undefined
  }

  /** The units that are complete now. */
  cutUnits(): CutUnit[] {
    const units: CutUnit[] = []
    while (this.#pending.length >= this.#unitSamples()) units.push(this.#cut(this.#unitSamples()))
    return units
  }

  /** What is left over, as a short unit; undefined when there is nothing. */
  cutTail(): CutUnit | undefined {
    return this.#pending.length === 0 ? undefined : this.#cut(this.#pending.length)
  }

  consumed(unit: CutUnit): void {
    this.#queuedSamples -= unit.pcm.length
  }

  /** Drops what is not in a unit yet; the client's timeline goes on counting it. */
  clear(): void {
    this.#queuedSamples -= this.#pending.length
    this.#pending = new Int16Array(0)
  }

  #problemOf(pcm: Int16Array, { durationMs, audioEndMs, sampleRateHz }: ChunkClaims): Problem | undefined {
    const { sampleRateHz: rate, maxQueuedBytes } = this.#settings
    if (sampleRateHz !== undefined && sampleRateHz !== rate) {
      return refusal('invalid_value', `sample_rate_hz is ${sampleRateHz}, expected ${rate}`, 'sample_rate_hz')
    }
    const checks = [
      { field: 'duration_ms', claimed: durationMs, expected: this.#msOf(pcm.length) },
      { field: 'audio_end_ms', claimed: audioEndMs, expected: this.#msOf(this.#appendedSamples + pcm.length) },
    ]
    for (const { field, claimed, expected } of checks) {
      if (claimed !== undefined && !(Math.abs(claimed - expected) <= TOLERANCE_MS)) {
        return refusal('invalid_value', `${field} is ${claimed}, expected ${expected}`, field)
      }
    }
    if ((this.#queuedSamples + pcm.length) * BYTES_PER_SAMPLE > maxQueuedBytes) {
      return refusal('buffer_overflow', `more than ${maxQueuedBytes} bytes would be queued`, 'audio')
    }
    return undefined
  }

  #cut(samples: number): CutUnit {
    const pcm = this.#pending.slice(0, samples)
    this.#pending = this.#pending.slice(samples)
    return { index: this.#unitsCut++, pcm }
  }

  #unitSamples(): number {
    const unitMs = this.#unitsCut === 0 ? VLLM_FIRST_UNIT_MS : VLLM_UNIT_MS
    return Math.round((unitMs * this.#settings.sampleRateHz) / 1000)
  }

  #msOf(samples: number): number {
    return (samples * 1000) / this.#settings.sampleRateHz
  }
}
