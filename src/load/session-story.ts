/**
 * One session as its journal tells it, turned into its trace and its receipts. Pure: bytes of the trace go to a function.
 */
import { formatSecondsOfUs, type InstantUs, US_PER_MS } from '../base/clock.js'
import { isObject } from '../base/json.js'
import { RECORD } from '../capture/journal/journal-format.js'
import { traceLine, traceLineHead } from '../capture/trace-line.js'
import { PACKET_MS } from '../profile/profile.js'
import type { WirePackets } from '../protocol/script.js'
import { errorText } from './error-text.js'
import type { SessionOutcome } from './session-ports.js'
import { noJsonObject } from './undecodable.js'

export interface StoryEnd {
  readonly outcome: SessionOutcome
  readonly atUs: InstantUs
}

/** Trace bytes that are gathered before they are handed on. */
const CHUNK_BYTES = 64 * 1024
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const BLANK = 0x20
const CLOSING = Buffer.from('}\n')

export class SessionStory {
  readonly #packets: WirePackets
  readonly #write: (bytes: Buffer) => void
  readonly #sentAtUs: InstantUs[] = []
  readonly #takenAtUs: InstantUs[] = []
  #chunk = Buffer.alloc(0)
  #length = 0
  #traceBytes = 0
  #startAtUs: InstantUs | undefined
  #hasBegun = false
  #hasEnded = false
  #amendedEnd: StoryEnd | undefined

  /** @param write takes the next bytes of the trace; they are valid during the call */
  constructor(packets: WirePackets, write: (bytes: Buffer) => void) {
    this.#packets = packets
    this.#write = write
  }

  /** Whether there is anything to store. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Set where the session ended otherwise than its sender said. */
  get amendedEnd(): StoryEnd | undefined {
    return this.#amendedEnd
  }

  /** The next record. What comes after the end does not belong to the session any more. */
  tell(kind: number, atUs: InstantUs, number: number, body: Buffer): void {
    if (this.#hasEnded) return
    this.#hasBegun = true
    switch (kind) {
      case RECORD.planned:
        this.#startAtUs = atUs
        break
      case RECORD.packetSent:
        this.#sentAtUs[number] = atUs
        this.#line(traceLineHead('send', atUs), this.#packets.frames[number] as Buffer)
        break
      case RECORD.packetTaken:
        this.#takenAtUs.push(atUs)
        break
      case RECORD.sent:
        this.#line(traceLineHead('send', atUs), body)
        break
      case RECORD.received:
        this.#onReceived(atUs, body)
        break
      case RECORD.admission:
        this.#line(traceLineHead('admission', atUs), body)
        break
      case RECORD.error:
        this.#line(traceLineHead('error', atUs), body)
        break
      case RECORD.ended:
        this.#hasEnded = true
        break
      default:
        throw new Error(`a journal has no records of the kind ${kind}`)
    }
  }

  /** Ends a session that nothing has ended, with its cause in the trace. */
  endBy(end: StoryEnd): void {
    if (this.#hasEnded) return
    this.#hasBegun = true
    this.#hasEnded = true
    this.#amendedEnd = end
    const message = errorText(end.outcome)
    const line = `${traceLine('error', end.atUs, JSON.stringify({ message }))}\n`
    this.#put(Buffer.from(line))
  }

  /** Hands on what is left. @returns bytes of the whole trace */
  finish(): number {
    this.#flush()
    this.#chunk = Buffer.alloc(0)
    return this.#traceBytes
  }

  /** `input-send-receipts.json`: docs/formats.md, "Send receipts". */
  receiptsText(): string {
    const startAtUs = this.#startAtUs
    const appends = this.#sentAtUs.map((sentAtUs, seq) => {
      const dueAtUs = (startAtUs ?? 0) + seq * PACKET_MS * US_PER_MS
      const takenAtUs = this.#takenAtUs[seq]
      const completed = takenAtUs === undefined ? '' : `,"completed_s":${formatSecondsOfUs(takenAtUs)}`
      return `{"event_id":${JSON.stringify(this.#packets.eventIds[seq])},"seq":${seq},"scheduled_s":${formatSecondsOfUs(dueAtUs)},"start_s":${formatSecondsOfUs(sentAtUs)}${completed}}`
    })
    const start = startAtUs === undefined ? '' : `"session_start_s":${formatSecondsOfUs(startAtUs)},`
    return `{${start}"appends":[${appends.length === 0 ? '' : `\n${appends.join(',\n')}\n`}]}\n`
  }

  /** Most messages were not parsed when they arrived: what is no JSON object ends the session here, as it would have then. */
  #onReceived(atUs: InstantUs, body: Buffer): void {
    // Bytes beyond ASCII can only stand in strings, where any of them will do.
    if (!isJsonObject(body.toString('latin1'))) {
      this.endBy({ outcome: noJsonObject(body.toString('utf8')), atUs })
      return
    }
    // A line feed in a JSON text can only stand between tokens, so a blank says the same.
    if (body.includes(LINE_FEED) || body.includes(CARRIAGE_RETURN)) {
      this.#line(traceLineHead('receive', atUs), withoutLineBreaks(body))
    } else {
      this.#line(traceLineHead('receive', atUs), body)
    }
  }

  #line(head: string, event: Buffer): void {
    const length = head.length + event.length + CLOSING.length
    this.#makeRoom(length)
    this.#length += this.#chunk.write(head, this.#length, 'latin1')
    this.#length += event.copy(this.#chunk, this.#length)
    this.#length += CLOSING.copy(this.#chunk, this.#length)
  }

  #put(bytes: Buffer): void {
    this.#makeRoom(bytes.length)
    this.#length += bytes.copy(this.#chunk, this.#length)
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#chunk.length) return
    this.#flush()
    if (bytes > this.#chunk.length) this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes))
  }

  #flush(): void {
    if (this.#length === 0) return
    this.#write(this.#chunk.subarray(0, this.#length))
    this.#traceBytes += this.#length
    this.#length = 0
  }
}

/** Runs of line breaks become one blank. */
function withoutLineBreaks(body: Buffer): Buffer {
  const result = Buffer.allocUnsafe(body.length)
  let length = 0
  let isInBreak = false
  for (const byte of body) {
    const isBreak = byte === LINE_FEED || byte === CARRIAGE_RETURN
    if (!isBreak) result[length++] = byte
    else if (!isInBreak) result[length++] = BLANK
    isInBreak = isBreak
  }
  return result.subarray(0, length)
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}
