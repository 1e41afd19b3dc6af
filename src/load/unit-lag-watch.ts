/** Unit lag as it is seen while a session runs: for the live view alone, final figures come from the trace. */
import type { DurationUs, InstantUs } from '../base/clock.js'
import type { WirePackets } from '../protocol/script.js'

const UNIT_DONE = 'sglang.unit.done'
const UNIT_ID = /"unit_id"\s*:\s*"unit_(\d+)"/

export class UnitLagWatch {
  readonly #packets: WirePackets
  readonly #unitSamples: number
  readonly #packetUs: DurationUs

  constructor(options: { readonly packets: WirePackets; readonly unitSamples: number; readonly packetUs: DurationUs }) {
    this.#packets = options.packets
    this.#unitSamples = options.unitSamples
    this.#packetUs = options.packetUs
  }

  isUnitDone(type: string): boolean {
    return type === UNIT_DONE
  }

  /**
   * Lag of the unit that this message finishes, from when its last packet was due: when it had been taken is in the trace,
   * and a difference that matters shows as lateness. Undefined for other messages, and for the short unit at the end.
   */
  lagUs(message: string, atUs: InstantUs, startAtUs: InstantUs | undefined): DurationUs | undefined {
    const unit = UNIT_ID.exec(message)?.[1]
    if (unit === undefined || startAtUs === undefined) return undefined
    const endSample = (Number(unit) + 1) * this.#unitSamples
    const packet = Math.ceil(endSample / this.#packets.samplesPerPacket) - 1
    if (packet >= this.#packets.frames.length) return undefined
    return Math.max(0, atUs - (startAtUs + packet * this.#packetUs))
  }
}
