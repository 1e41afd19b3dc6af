/**
 * One session as it went, for a person who looks at it: packets, units from ready to done, reply audio and how it would
 * have played, and every event that is not one of many alike. Computed from the recording alone; decides nothing. Pure.
 */
import type { DurationUs, InstantUs } from '../base/clock.js'
import type { SessionRecording } from '../capture/recording.js'
import { isObject, type TraceLine, type TraceRecord } from '../capture/trace-record.js'
import { type Profile, samplesPerUnit } from '../profile/profile.js'
import { packetsOf } from './pacing.js'
import { type PlayedSpan, playedSpans } from './playback.js'
import type { SessionFacts } from './session-facts.js'
import { UnitReadiness } from './unit-readiness.js'
import { type AudioDelta, readWireFacts } from './wire-facts.js'

export interface TimelineUnit {
  readonly unit: number
  readonly readyAtUs: InstantUs | undefined
  /** Undefined for a unit that never finished. */
  readonly doneAtUs: InstantUs | undefined
  readonly isSpeak: boolean
}

export interface TimelineReply {
  readonly id: string
  /** Up to a cut, in trace order. */
  readonly arrivals: readonly AudioDelta[]
  readonly sampleRateHz: number
  readonly played: readonly PlayedSpan[]
  readonly isCut: boolean
}

export interface TimelineEvent {
  readonly atUs: InstantUs
  readonly direction: TraceRecord['direction']
  /** Type of the event; empty where it has none. */
  readonly type: string
  /** What tells it from others of its type; what a server wrote stands here unchanged. */
  readonly detail: string
}

export interface SessionTimeline {
  readonly facts: SessionFacts
  /** Start of the first send, else the first line of the trace. */
  readonly originUs: InstantUs
  readonly packets: readonly { readonly atUs: InstantUs; readonly latenessUs: DurationUs | undefined }[]
  /** Every expected unit; empty where the protocol is not judged by units. */
  readonly units: readonly TimelineUnit[]
  readonly replies: readonly TimelineReply[]
  readonly events: readonly TimelineEvent[]
}

/** @param facts of the same recording */
export function sessionTimeline(options: {
  readonly facts: SessionFacts
  readonly recording: SessionRecording
  readonly profile: Profile
  readonly reserveUs: DurationUs
}): SessionTimeline {
  const { facts, recording, profile, reserveUs } = options
  const wire = readWireFacts(recording.lines, profile.protocol)
  const packets = packetsOf(
    recording.receipts,
    wire.appends.map(({ atUs }) => atUs),
  )
  const sampleRateHz = profile.output.sample_rate_hz
  const firstLine = recording.lines.find((line) => line.ok)
  return {
    facts,
    originUs: facts.t0Us ?? (firstLine?.ok ? firstLine.atUs : 0),
    packets: packets.map(({ startAtUs, dueAtUs }) => ({
      atUs: startAtUs,
      latenessUs: dueAtUs === undefined ? undefined : startAtUs - dueAtUs,
    })),
    units: unitsOf(facts, new UnitReadiness({ ...facts, profile, packets, unitSamples: samplesPerUnit(profile) })),
    replies: wire.replies
      .filter(({ deltas }) => deltas.length > 0)
      .map(({ id, deltas, isCut }) => ({
        id,
        arrivals: deltas,
        sampleRateHz,
        played: playedSpans({ deltas, sampleRateHz }, reserveUs),
        isCut,
      })),
    events: recording.lines.flatMap(eventOf),
  }
}

function unitsOf(facts: SessionFacts, readiness: UnitReadiness): TimelineUnit[] {
  const done = new Map(facts.units.map((unit) => [unit.unit, unit]))
  return Array.from({ length: facts.unitsExpected ?? 0 }, (_, unit) => ({
    unit,
    readyAtUs: before(facts.closeAtUs, readiness.readyAtUs(unit)),
    doneAtUs: done.get(unit)?.doneAtUs,
    isSpeak: done.get(unit)?.isSpeak ?? false,
  }))
}

/** A short last unit is ready at the end of the input: not in a session that ended before. */
function before(closeAtUs: InstantUs | undefined, readyAtUs: InstantUs | undefined): InstantUs | undefined {
  return closeAtUs !== undefined && readyAtUs !== undefined && readyAtUs > closeAtUs ? undefined : readyAtUs
}

/** Many alike, and drawn as what they carry. */
const FREQUENT = /^(?:input_audio_buffer\.append|sglang\.input_audio\.accepted|sglang\.unit\.done|.*\.delta)$/

function eventOf(line: TraceLine): TimelineEvent[] {
  if (!line.ok) return []
  const { atUs, direction, event } = line
  const type = typeof event.type === 'string' ? event.type : ''
  return FREQUENT.test(type) ? [] : [{ atUs, direction, type, detail: detailOf(event) }]
}

function detailOf(event: TraceRecord['event']): string {
  const parts: unknown[] = [event.message, event.status, event.reason]
  for (const part of [event.error, event.response]) {
    if (!isObject(part)) continue
    parts.push(part.id, part.status, part.code, part.message)
    if (isObject(part.status_details)) parts.push(part.status_details.reason)
  }
  return parts.filter((part) => typeof part === 'string' || typeof part === 'number').join(', ')
}
