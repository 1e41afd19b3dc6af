/** Frames that a fault adds, in the words of each protocol. Their event ids have a name space of their own. */
import type { ProtocolName } from '../profile/profile.js'
import { type Frame, isAudioDelta } from './fault-frames.js'

export const FATAL_CODE = 'internal'

export interface ErrorFrameOptions {
  readonly protocol: ProtocolName
  readonly sessionNumber: number
  readonly isFatal: boolean
}

/** An error that nothing caused. The dialects without `sglang` have no fatal flag: there the end of the socket tells. */
export function errorFrame({ protocol, sessionNumber, isFatal }: ErrorFrameOptions): Frame {
  const hasFlag = protocol !== 'openai-realtime' && protocol !== 'vllm-duplex'
  return {
    type: 'error',
    event_id: 'evt_fault_error',
    ...(hasFlag ? { sglang: { fatal: isFatal } } : {}),
    error: {
      type: isFatal ? 'server_error' : 'invalid_request_error',
      code: isFatal ? FATAL_CODE : 'invalid_state',
      message: `injected fault in session ${sessionNumber}`,
      event_id: null,
      param: null,
    },
  }
}

/** What follows a fatal error before the socket closes: only the session protocols say goodbye. */
export function farewellFrames(protocol: ProtocolName): Frame[] {
  if (protocol !== 'native' && protocol !== 'turn-based') return []
  return [{ type: 'session.closed', event_id: 'evt_fault_closed', reason: FATAL_CODE, client_event_id: null }]
}

/** The refusal of a server that accepts every socket; undefined for those that refuse the upgrade. */
export function denialFrame(protocol: ProtocolName): string | undefined {
  if (protocol !== 'vllm-duplex') return undefined
  const error = {
    type: 'rate_limit_error',
    code: 'resource_exhausted',
    message: 'injected fault: no session is free',
    retryable: true,
  }
  return JSON.stringify({ type: 'error', event_id: 'evt_fault_denied', error })
}

/** Bytes of silence in a late reply: 20 ms at 24 kHz. */
const LATE_REPLY_BYTES = 960

/** A whole reply, right but for its time. @param chunk the `sglang` object of the last unit receipt */
export function lateReply(chunk: unknown): Frame[] {
  const ids = { response_id: 'resp_fault', item_id: 'item_fault', output_index: 0, content_index: 0 }
  const delta = Buffer.alloc(LATE_REPLY_BYTES).toString('base64')
  const response = { id: ids.response_id, object: 'realtime.response' }
  const item = { id: ids.item_id, object: 'realtime.item', type: 'message', role: 'assistant', content: [] }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_audio.delta', ...ids, delta, ...(chunk === undefined ? {} : { sglang: chunk }) },
    { type: 'response.output_audio.done', ...ids },
    {
      type: 'response.done',
      response: { ...response, status: 'completed', status_details: { reason: 'stop' }, output: [item], usage: null },
    },
  ].map((event, index) => ({ ...event, event_id: `evt_fault_reply_${index}` }))
}

/** What the client has seen begin and not end: the parts of replies, and the replies. */
export class OpenReplies {
  /** By response and kind of part: the ids that its deltas carry, and its text so far. */
  readonly #parts = new Map<string, { readonly event: Frame; text: string }>()
  readonly #responses = new Set<string>()

  see(frame: Frame): void {
    const { type, response } = frame
    if (typeof type !== 'string') return
    if (type === 'response.created') this.#responses.add(idOf(response))
    else if (type === 'response.done') this.#responses.delete(idOf(response))
    else if (type.startsWith('response.') && type.endsWith('.delta')) {
      const key = partKey(frame, type)
      const text = isAudioDelta(frame) ? '' : String(frame.delta)
      const part = this.#parts.get(key)
      if (part === undefined) this.#parts.set(key, { event: frame, text })
      else part.text += text
    } else if (type.startsWith('response.') && type.endsWith('.done')) this.#parts.delete(partKey(frame, type))
  }

  /** Ends all of them as a server does that has failed. */
  fail(): Frame[] {
    const parts = [...this.#parts.values()].map(({ event, text }, index) => {
      const { delta: _delta, sglang: _sglang, type, ...ids } = event
      const done = String(type).replace(/delta$/, 'done')
      const words = isAudioDelta(event) ? {} : { [done.includes('transcript') ? 'transcript' : 'text']: text }
      return { type: done, ...ids, ...words, event_id: `evt_fault_part_${index}` }
    })
    const responses = [...this.#responses].map((id, index) => ({
      type: 'response.done',
      event_id: `evt_fault_response_${index}`,
      response: {
        id,
        object: 'realtime.response',
        status: 'failed',
        status_details: { reason: FATAL_CODE },
        output: [],
        usage: null,
      },
    }))
    this.#parts.clear()
    this.#responses.clear()
    return [...parts, ...responses]
  }
}

function idOf(response: unknown): string {
  return String((response as { id?: unknown } | undefined)?.id)
}

function partKey({ response_id: id }: Frame, type: string): string {
  return `${String(id)} ${type.replace(/\.(?:delta|done)$/, '')}`
}
