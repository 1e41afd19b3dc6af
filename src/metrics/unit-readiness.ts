/** When each unit's input was complete at the server's door (docs/metrics.md, section 3, "ready"). Pure. */
import type { DurationUs, InstantUs } from '../base/clock.js'
import { type Profile, samplesPerPacket } from '../profile/profile.js'
import type { SentPacket } from './pacing.js'

export class UnitReadiness {
  readonly unitsExpected: number
  readonly #packets: readonly SentPacket[]
  readonly #inputSamples: number
  readonly #inputUs: DurationUs
  readonly #unitSamples: number
  readonly #packetSamples: number

  constructor(options: {
    profile: Profile
    packets: readonly SentPacket[]
    inputSamples: number
    inputUs: DurationUs
    unitSamples: number | undefined
  }) {
    this.#packets = options.packets
    this.#inputSamples = options.inputSamples
    this.#inputUs = options.inputUs
    this.#unitSamples = options.unitSamples ?? 1
    this.#packetSamples = samplesPerPacket(options.profile)
    this.unitsExpected = Math.ceil(options.inputSamples / this.#unitSamples)
  }

  /**
   * A full unit is ready when the packet with its last sample has been handed over. The short last unit, which the
   * server fills with silence, and the empty unit after an aligned input are ready at the end of the input.
   */
  readyAtUs(unit: number): InstantUs | undefined {
    const endSample = (unit + 1) * this.#unitSamples
    if (endSample > this.#inputSamples) {
      const t0Us = this.#packets[0]?.startAtUs
      return t0Us === undefined ? undefined : t0Us + this.#inputUs
    }
    return this.#packets[Math.ceil(endSample / this.#packetSamples) - 1]?.doneAtUs
  }
}
