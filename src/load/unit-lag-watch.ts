/** Unit lag as it is seen while a session runs: for the live view alone, final figures come from the trace. */
import type { DurationUs, InstantUs } from '../base/clock.js'
import type { WireEvent } from '../capture/trace-record.js'
import type { WirePackets } from '../protocol/script.js'
import type { PacketTiming } from './paced-input.js'

export class UnitLagWatch {
  readonly #timings: readonly PacketTiming[]
  readonly #packets: WirePackets
  readonly #unitSamples: number

  constructor(timings: readonly PacketTiming[], packets: WirePackets, unitSamples: number) {
    this.#timings = timings
    this.#packets = packets
    this.#unitSamples = unitSamples
  }

  /** Lag of the unit that this event finishes; undefined for other events, and for the short unit at the end. */
  lagUs(event: WireEvent, atUs: InstantUs): DurationUs | undefined {
    if (event.type !== 'sglang.unit.done' || typeof event.unit_id !== 'string') return undefined
    const match = /^unit_(\d+)$/.exec(event.unit_id)
    if (match === null) return undefined
    const endSample = (Number(match[1]) + 1) * this.#unitSamples
    const timing = this.#timings[Math.ceil(endSample / this.#packets.samplesPerPacket) - 1]
    return timing === undefined ? undefined : atUs - (timing.doneAtUs ?? timing.startAtUs)
  }
}
