/** A recorded session laid out for the checks: what crossed the wire in order, by type, and the input audio it carried. */
import type { TraceLine, WireEvent } from '../capture/trace-record.js'
import type { Profile } from '../profile/profile.js'
import { AUDIO_DELTA, canonicalEventType } from './openai-realtime/event-names.js'
import { type Pcm16Length, pcm16ByteLength } from './pcm.js'
import type { VerdictInput } from './verdict.js'

export const APPEND = 'input_audio_buffer.append'

/** One frame, sent or received. */
export interface WireRecord {
  readonly line: number
  /** Place among all frames of the session. Order is compared by this, since equal time stamps are allowed. */
  readonly position: number
  readonly direction: 'send' | 'receive'
  readonly timeS: number
  /** The event's type; empty where it has none (check C3). */
  readonly type: string
  readonly event: WireEvent
  readonly nonIntegerLiterals: readonly string[]
  /** The audio of an append or of an audio delta of any protocol; undefined for all other events. */
  readonly pcm: Pcm16Length | undefined
}

/** One packet of input audio on the session's timeline. Audio that cannot be decoded counts as no samples. */
export interface Packet {
  readonly record: WireRecord
  readonly startSamples: number
  readonly endSamples: number
}

export interface SessionLog {
  readonly profile: Profile
  readonly lines: readonly TraceLine[]
  readonly admissionRetryLimit: number
  /** Sends and receipts in order of the trace. */
  readonly wire: readonly WireRecord[]
  sent(type: string): readonly WireRecord[]
  received(type: string): readonly WireRecord[]
  readonly packets: readonly Packet[]
  /** All input audio sent, in samples. */
  readonly inputSamples: number
}

export function readSessionLog({ profile, lines, admissionRetryLimit }: VerdictInput): SessionLog {
  const wire: WireRecord[] = []
  for (const line of lines) {
    if (!line.ok || (line.direction !== 'send' && line.direction !== 'receive')) continue
    const type = typeof line.event.type === 'string' ? line.event.type : ''
    wire.push({
      line: line.line,
      position: wire.length,
      direction: line.direction,
      timeS: line.timeS,
      type,
      event: line.event,
      nonIntegerLiterals: line.nonIntegerLiterals,
      pcm: audioOf(line.direction, type, line.event),
    })
  }
  const sent = groupByType(wire.filter((record) => record.direction === 'send'))
  const received = groupByType(wire.filter((record) => record.direction === 'receive'))
  const packets = packetsOf(sent.get(APPEND) ?? [])
  return {
    profile,
    lines,
    admissionRetryLimit,
    wire,
    sent: (type) => sent.get(type) ?? [],
    received: (type) => received.get(type) ?? [],
    packets,
    inputSamples: packets.at(-1)?.endSamples ?? 0,
  }
}

/** Place of the first of some records; beyond every place where there is none, so that nothing comes after it. */
export function firstPosition(records: readonly WireRecord[]): number {
  return records[0]?.position ?? Number.POSITIVE_INFINITY
}

/** Whole samples of a record's audio, 0 where it cannot be decoded. */
export function samplesOf(record: WireRecord): number {
  return record.pcm?.ok ? record.pcm.byteLength / 2 : 0
}

function audioOf(direction: 'send' | 'receive', type: string, event: WireEvent): Pcm16Length | undefined {
  if (direction === 'send') return type === APPEND ? pcm16ByteLength(event.audio) : undefined
  return canonicalEventType(type) === AUDIO_DELTA ? pcm16ByteLength(event.delta) : undefined
}

function groupByType(records: readonly WireRecord[]): Map<string, WireRecord[]> {
  const groups = new Map<string, WireRecord[]>()
  for (const record of records) {
    const group = groups.get(record.type)
    if (group === undefined) groups.set(record.type, [record])
    else group.push(record)
  }
  return groups
}

function packetsOf(appends: readonly WireRecord[]): Packet[] {
  let samples = 0
  return appends.map((record) => {
    const startSamples = samples
    samples += samplesOf(record)
    return { record, startSamples, endSamples: samples }
  })
}
