/** What a window needs of a trace, in one pass and in trace order, without any judgement. Pure. */

import { isObject } from '../../base/json.js'
import type { TraceLine, WireEvent } from '../../capture/trace-record.js'
import { dialectOf, mayInterrupt } from '../../metrics/dialect.js'
import type { ProtocolName } from '../../profile/profile.js'
import { decodePcm16 } from '../../protocol/pcm.js'

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

export interface WindowRecord {
  readonly appends: readonly WindowAppend[]
  readonly playout: readonly PlayoutEvent[]
  /** Output rates that the server stated in `session.updated`, in order, each once. */
  readonly statedRatesHz: readonly number[]
  /** Client errors, `error` events and `session.closed`. */
  readonly incidents: readonly { readonly kind: 'error' | 'closed'; readonly timeS: number; readonly text: string }[]
  readonly lastReceivedS: number | undefined
  /** Lines that are no records, and where the clock went back. */
  readonly lineProblems: readonly string[]
  readonly hasBackwardClock: boolean
}

export function readWindowRecord(lines: readonly TraceLine[], protocol: ProtocolName): WindowRecord {
  const dialect = dialectOf(protocol)
  const appends: WindowAppend[] = []
  const playout: PlayoutEvent[] = []
  const statedRatesHz: number[] = []
  const incidents: WindowRecord['incidents'][number][] = []
  const lineProblems: string[] = []
  let hasBackwardClock = false
  let lastTimeS = 0
  let lastReceivedS: number | undefined
  let isInterruptible: boolean | undefined
  for (const line of lines) {
    if (!line.ok) {
      lineProblems.push(`line ${line.line} ${line.problem}`)
      continue
    }
    const { timeS, event, direction } = line
    if (timeS < lastTimeS) hasBackwardClock = true
    lastTimeS = timeS
    if (direction === 'error') incidents.push({ kind: 'error', timeS, text: textOf(event.message) })
    if (direction === 'send') {
      if (event.type === 'session.update') isInterruptible ??= mayInterrupt(event.session)
      if (event.type === 'input_audio_buffer.append') {
        const audio = decodePcm16(event.audio)
        appends.push({ timeS, event, bytes: audio.ok ? audio.bytes : undefined })
      }
    }
    if (direction !== 'receive') continue
    lastReceivedS = timeS
    switch (event.type) {
      case 'error':
        incidents.push({ kind: 'error', timeS, text: errorText(event) })
        break
      case 'session.closed':
        incidents.push({ kind: 'closed', timeS, text: 'session.closed' })
        break
      case 'session.updated': {
        const rateHz = statedRate(event)
        if (rateHz !== undefined && !statedRatesHz.includes(rateHz)) statedRatesHz.push(rateHz)
        break
      }
      case 'response.done':
        if (
          dialect.isCutByCancelledDone === true &&
          isObject(event.response) &&
          event.response.status === 'cancelled'
        ) {
          playout.push({ kind: 'cut', timeS })
        }
        break
      case 'output_audio_buffer.cleared':
        if (dialect.isCutByClear === true) playout.push({ kind: 'cut', timeS })
        break
      case 'input_audio_buffer.speech_started':
        if (dialect.isCutBySpeech === true && isInterruptible !== false) playout.push({ kind: 'cut', timeS })
        break
      default:
        if (typeof event.type === 'string' && dialect.audioDeltas.has(event.type)) {
          const audio = decodePcm16(event.delta)
          playout.push(
            audio.ok
              ? { kind: 'audio', timeS, bytes: audio.bytes }
              : { kind: 'undecodable', timeS, problem: audio.problem },
          )
        }
    }
  }
  return { appends, playout, statedRatesHz, incidents, lastReceivedS, lineProblems, hasBackwardClock }
}

/** `session.audio.output.format.rate`. */
function statedRate({ session }: WireEvent): number | undefined {
  const audio = isObject(session) ? session.audio : undefined
  const output = isObject(audio) ? audio.output : undefined
  const format = isObject(output) ? output.format : undefined
  const rate = isObject(format) ? format.rate : undefined
  return typeof rate === 'number' ? rate : undefined
}

function errorText(event: WireEvent): string {
  const error = isObject(event.error) ? event.error : event
  return [error.code, error.message].filter((part) => typeof part === 'string').join(': ') || 'error'
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : 'client error'
}
