/** What a window needs of a trace, in one pass and in trace order, without any judgement. Pure. */
import { isObject } from '../../base/json.js'
import type { TraceLine, TraceRecord, WireEvent } from '../../capture/trace-record.js'
import { type Dialect, dialectOf, mayInterrupt } from '../../metrics/dialect.js'
import type { ProtocolName } from '../../profile/profile.js'
import { decodePcm16 } from '../../protocol/pcm.js'
import { EventIds, type IdProblem } from './event-ids.js'

export interface WindowAppend {
  readonly timeS: number
  readonly event: WireEvent
  /** Undefined where it is no audio. */
  readonly bytes: Uint8Array | undefined
}

/** What happens to the listener, in trace order. */
export type PlayoutEvent =
  | { readonly kind: 'audio'; readonly timeS: number; readonly bytes: Uint8Array }
  /** Reply audio that cannot be decoded. */
  | { readonly kind: 'undecodable'; readonly timeS: number; readonly problem: string }
  | { readonly kind: 'cut'; readonly timeS: number }

/** A client error, an `error` event, or `session.closed`. */
export interface Incident {
  readonly kind: 'error' | 'closed'
  readonly timeS: number
  /** Line of the trace. */
  readonly line: number
  readonly text: string
}

export interface WindowRecord {
  readonly appends: readonly WindowAppend[]
  readonly playout: readonly PlayoutEvent[]
  /** Reply audio stands in the trace before the first append. */
  readonly hasAudioBeforeInput: boolean
  /** Output rates that the server stated in `session.updated`, each once, with the time of the first statement. */
  readonly statedRates: readonly { readonly rateHz: number; readonly timeS: number }[]
  readonly incidents: readonly Incident[]
  readonly idProblems: readonly IdProblem[]
  readonly lastReceivedS: number | undefined
  /** Lines that are no records. */
  readonly lineProblems: readonly string[]
  /** The first line whose time is before that of the line above it. */
  readonly backwardLine: number | undefined
}

export function readWindowRecord(lines: readonly TraceLine[], protocol: ProtocolName): WindowRecord {
  return new WindowReader(protocol).read(lines)
}

/**
 * A client of these stops a reply when it is cut, and drops what is still on its way: docs/protocols.md, "OpenAI Realtime"
 * and "vLLM-Omni duplex". The others are played by the field's own rule, which knows no replies.
 */
const DROPS_LATE_AUDIO: ReadonlySet<ProtocolName> = new Set(['openai-realtime', 'vllm-duplex'])

class WindowReader {
  readonly #dialect: Dialect
  readonly #dropsLateAudio: boolean
  readonly #ids: EventIds
  readonly #appends: WindowAppend[] = []
  readonly #playout: PlayoutEvent[] = []
  readonly #statedRates: { rateHz: number; timeS: number }[] = []
  readonly #incidents: Incident[] = []
  readonly #openReplies = new Set<unknown>()
  readonly #cutReplies = new Set<unknown>()
  #hasAudioBeforeInput = false
  #isInterruptible: boolean | undefined
  #lastReceivedS: number | undefined

  constructor(protocol: ProtocolName) {
    this.#dialect = dialectOf(protocol)
    this.#dropsLateAudio = DROPS_LATE_AUDIO.has(protocol)
    this.#ids = new EventIds(protocol)
  }

  read(lines: readonly TraceLine[]): WindowRecord {
    const lineProblems: string[] = []
    let backwardLine: number | undefined
    let lastTimeS = 0
    for (const line of lines) {
      if (!line.ok) {
        lineProblems.push(`line ${line.line} ${line.problem}`)
        continue
      }
      if (line.timeS < lastTimeS) backwardLine ??= line.line
      lastTimeS = line.timeS
      this.#ids.note(line)
      if (line.direction === 'error') this.#addIncident('error', line, textOf(line.event.message))
      else if (line.direction === 'send') this.#onSend(line)
      else if (line.direction === 'receive') this.#onReceive(line)
    }
    return {
      appends: this.#appends,
      playout: this.#playout,
      hasAudioBeforeInput: this.#hasAudioBeforeInput,
      statedRates: this.#statedRates,
      incidents: this.#incidents,
      idProblems: this.#ids.problems,
      lastReceivedS: this.#lastReceivedS,
      lineProblems,
      backwardLine,
    }
  }

  #onSend({ timeS, event }: TraceRecord): void {
    if (event.type === 'session.update') this.#isInterruptible ??= mayInterrupt(event.session)
    if (event.type !== 'input_audio_buffer.append') return
    const audio = decodePcm16(event.audio)
    this.#appends.push({ timeS, event, bytes: audio.ok ? audio.bytes : undefined })
  }

  #onReceive(line: TraceRecord): void {
    const { timeS, event } = line
    const { isCutByCancelledDone, isCutByClear, isCutBySpeech } = this.#dialect
    this.#lastReceivedS = timeS
    switch (event.type) {
      case 'error':
        this.#addIncident('error', line, errorText(event))
        return
      case 'session.closed':
        this.#addIncident('closed', line, 'session.closed')
        return
      case 'session.updated':
        this.#onRate(timeS, event)
        return
      case 'response.done': {
        const response = isObject(event.response) ? event.response : {}
        if (isCutByCancelledDone === true && response.status === 'cancelled') this.#cut(timeS, [response.id])
        this.#openReplies.delete(response.id)
        return
      }
      case 'output_audio_buffer.cleared':
        if (isCutByClear === true) this.#cut(timeS, [event.response_id])
        return
      case 'input_audio_buffer.speech_started':
        if (isCutBySpeech === true && this.#isInterruptible !== false) this.#cut(timeS, this.#openReplies)
        return
      case 'response.created':
        if (isObject(event.response)) this.#openReplies.add(event.response.id)
        return
      default:
        if (typeof event.type === 'string' && this.#dialect.audioDeltas.has(event.type)) this.#onAudio(timeS, event)
    }
  }

  #cut(timeS: number, replies: Iterable<unknown>): void {
    this.#playout.push({ kind: 'cut', timeS })
    for (const reply of replies) this.#cutReplies.add(reply)
  }

  #onAudio(timeS: number, event: WireEvent): void {
    if (this.#appends.length === 0) this.#hasAudioBeforeInput = true
    const audio = decodePcm16(event.delta)
    const { response_id: reply } = event
    if (!audio.ok) this.#playout.push({ kind: 'undecodable', timeS, problem: audio.problem })
    else if (!this.#dropsLateAudio || typeof reply !== 'string' || !this.#cutReplies.has(reply)) {
      this.#playout.push({ kind: 'audio', timeS, bytes: audio.bytes })
    }
  }

  /** `session.audio.output.format.rate`. */
  #onRate(timeS: number, { session }: WireEvent): void {
    const audio = isObject(session) ? session.audio : undefined
    const output = isObject(audio) ? audio.output : undefined
    const rateHz = isObject(output) && isObject(output.format) ? output.format.rate : undefined
    if (typeof rateHz !== 'number' || this.#statedRates.some((stated) => stated.rateHz === rateHz)) return
    this.#statedRates.push({ rateHz, timeS })
  }

  #addIncident(kind: Incident['kind'], { timeS, line }: TraceRecord, text: string): void {
    this.#incidents.push({ kind, timeS, line, text })
  }
}

function errorText(event: WireEvent): string {
  const error = isObject(event.error) ? event.error : event
  return [error.code, error.message].filter((part) => typeof part === 'string').join(': ') || 'error'
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : 'client error'
}
