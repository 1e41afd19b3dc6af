/** What a client of the OpenAI Realtime API sends. Event ids are optional there; ours make errors traceable. */
import type { WireEvent } from '../../capture/trace-record.js'
import { wirePackets } from '../packets.js'
import type { WirePackets } from '../script.js'

export { sessionUpdate } from '../session/client-events.js'

export function appendFrames(pcm: Int16Array, samplesPerPacket: number): WirePackets {
  return wirePackets(pcm, samplesPerPacket, ({ eventId, audio }) => ({
    type: 'input_audio_buffer.append',
    event_id: eventId,
    audio,
  }))
}

export function commit(): WireEvent {
  return { type: 'input_audio_buffer.commit', event_id: 'c_commit' }
}

export function createResponse(): WireEvent {
  return { type: 'response.create', event_id: 'c_response' }
}

/** Tells the server how much of an item was heard. */
export function truncate(options: {
  number: number
  itemId: string
  contentIndex: number
  audioEndMs: number
}): WireEvent {
  return {
    type: 'conversation.item.truncate',
    event_id: `c_truncate_${options.number}`,
    item_id: options.itemId,
    content_index: options.contentIndex,
    audio_end_ms: options.audioEndMs,
  }
}
