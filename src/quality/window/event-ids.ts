/** Ids of events: there where the protocol asks for one, and each used once for each direction. Pure. */
import type { TraceRecord } from '../../capture/trace-record.js'
import type { ProtocolName } from '../../profile/profile.js'

/** Client events of these may go without an id. */
const OPTIONAL_CLIENT_IDS: ReadonlySet<ProtocolName> = new Set(['openai-realtime', 'vllm-duplex'])

export interface IdProblem {
  readonly timeS: number
  /** Of a packet, whose id is asked for wherever it stands. */
  readonly isOfPacket: boolean
  readonly text: string
}

export class EventIds {
  readonly #areClientIdsOptional: boolean
  readonly #seen = { send: new Set<string>(), receive: new Set<string>() }
  readonly problems: IdProblem[] = []

  constructor(protocol: ProtocolName) {
    this.#areClientIdsOptional = OPTIONAL_CLIENT_IDS.has(protocol)
  }

  /** Takes the next line of the trace into account. */
  note({ direction, timeS, event, line }: TraceRecord): void {
    if (direction !== 'send' && direction !== 'receive') return
    const { event_id: id } = event
    const isOfPacket = direction === 'send' && event.type === 'input_audio_buffer.append'
    if (id === undefined && direction === 'send' && this.#areClientIdsOptional) return
    const seen = this.#seen[direction]
    if (typeof id !== 'string' || id === '') {
      this.problems.push({ timeS, isOfPacket, text: `line ${line} has no event_id` })
    } else if (seen.has(id)) {
      this.problems.push({ timeS, isOfPacket, text: `line ${line} repeats the event_id ${id}` })
    } else seen.add(id)
  }
}
