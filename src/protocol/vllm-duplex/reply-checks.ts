/** Checks V4, V5 and V7: replies and their audio, what fails a session, and how much a continuous model must say. */
import { violation } from '../findings.js'
import { msOfSamples } from '../media-time.js'
import { AUDIO_DELTA, ERROR, TRANSCRIPT_DELTA } from '../openai-realtime/event-names.js'
import { eventsOf, type Reply, type ReplyRules } from '../openai-realtime/replies.js'
import { type SessionLog, samplesOf, type WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show, valueAt } from '../wire-values.js'
import type { InputPacket } from './input-audio.js'

/** With a reply's id it says that the model listens instead of speaking, which ends the reply. */
const LISTEN = 'response.listen'

export const VLLM_REPLY_RULES: ReplyRules = {
  otherEndings: [LISTEN],
  checks: { created: 'V4', isOpen: 'V4', endsOnce: 'V4' },
}

const CANCEL_REASONS: readonly unknown[] = ['barge_in', 'client_cancelled', 'new_response', 'output_audio_buffer_clear']
const AUDIO_DURATION_TOLERANCE_MS = 1
/** Unless the profile names a unit: the step of the only continuous model known behind this endpoint. */
const FRAME_MS = 80
/** The codec hands out five frames at a time, so up to four may be missing at the end. */
const FRAMES_MISSING_MAX = 4

export function* replyChecks(log: SessionLog, replies: readonly Reply[]): Generator<Violation> {
  for (const reply of replies) {
    yield* audioChecks(log, reply)
    yield* transcriptChecks(reply)
    yield* endingChecks(reply)
  }
  for (const error of log.received(ERROR)) yield violation('V5', errorMessage(error), error)
}

/** V4, the audio of one reply. */
function* audioChecks(log: SessionLog, reply: Reply): Generator<Violation> {
  const rateHz = log.profile.output.sample_rate_hz
  let samples = 0
  for (const record of eventsOf(reply, AUDIO_DELTA)) {
    samples += samplesOf(record)
    // C9 says the same of any audio; a reply that cannot be decoded breaks the rules of replies as well.
    if (record.pcm?.ok === false) yield violation('V4', `delta of ${record.type} ${record.pcm.problem}`, record)
    const rate = record.event.sample_rate_hz
    if (rate !== undefined && rate !== rateHz) {
      yield violation('V4', `sample_rate_hz of ${record.type} is ${show(rate)}; ${rateHz} is required`, record)
    }
    const told = valueAt(record.event, 'metadata', 'audio_duration_ms')
    const ms = msOfSamples(samples, rateHz)
    if (told === undefined || (typeof told === 'number' && Math.abs(told - ms) <= AUDIO_DURATION_TOLERANCE_MS)) continue
    yield violation('V4', `audio_duration_ms is ${show(told)}; the reply has had ${ms} ms of audio so far`, record)
  }
}

/** V4, one transcript delta per audio delta. A cancel may fall between the two, and takes the second away. */
function* transcriptChecks(reply: Reply): Generator<Violation> {
  const audio = eventsOf(reply, AUDIO_DELTA).length
  const transcript = eventsOf(reply, TRANSCRIPT_DELTA).length
  if (audio === transcript || (reply.status === 'cancelled' && audio === transcript + 1)) return
  const message = `response ${show(reply.id)} has ${audio} audio deltas and ${transcript} transcript deltas; as many are required`
  yield violation('V4', message, reply.done ?? reply.created)
}

function* endingChecks({ id, created, done, status, reason }: Reply): Generator<Violation> {
  const name = `response ${show(id)}`
  if (done === undefined) yield violation('V4', `${name} never ended; response.done is required`, created)
  else if (done.type === LISTEN || status === 'completed') return
  else if (status !== 'cancelled') yield violation('V5', `${name} ended with the status ${show(status)}`, done)
  else if (!CANCEL_REASONS.includes(reason)) {
    const accepted = CANCEL_REASONS.join(', ')
    yield violation('V5', `${name} was cancelled with the reason ${show(reason)}; accepted are ${accepted}`, done)
  }
}

/** V5. Errors before the session stands are sometimes flat, with the text where others have an object. */
function errorMessage({ event }: WireRecord): string {
  const code = valueAt(event, 'error', 'code') ?? event.code
  const text = valueAt(event, 'error', 'message') ?? event.error
  const kind = code === 'resource_exhausted' ? 'refused, every session is taken' : 'error from the server'
  return `${kind}: code ${show(code)}, message ${show(text)}`
}

/** V7, asked of profiles whose output is continuous: one reply for the whole session, in whole frames, nearly complete. */
export function* continuousOutputChecks(
  log: SessionLog,
  replies: readonly Reply[],
  packets: readonly InputPacket[],
): Generator<Violation> {
  const { continuous, sample_rate_hz: rateHz } = log.profile.output
  if (!continuous) return
  if (replies.length !== 1)
    yield violation('V7', `${replies.length} replies; exactly 1 is required`, replies[1]?.created)
  const frameMs = log.profile.unit_ms ?? FRAME_MS
  const frameSamples = (frameMs * rateHz) / 1000
  const samples = replies
    .flatMap((reply) => eventsOf(reply, AUDIO_DELTA))
    .reduce((sum, delta) => sum + samplesOf(delta), 0)
  if (samples % frameSamples !== 0) {
    yield violation('V7', `${samples} samples of output audio; whole frames of ${frameSamples} are required`)
  }
  const framesIn = Math.ceil((packets.at(-1)?.endMs ?? 0) / frameMs)
  const framesOut = Math.floor(samples / frameSamples)
  if (framesIn - framesOut > FRAMES_MISSING_MAX) {
    const message = `${framesOut} frames of output for ${framesIn} of input; at most ${FRAMES_MISSING_MAX} may be missing`
    yield violation('V7', message)
  }
}
