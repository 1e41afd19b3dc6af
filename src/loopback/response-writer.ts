/**
 * The output side of one session: turns what the model says in a unit into events, in the order in which the protocol
 * publishes them, and keeps the ids, the chunk numbers and the transcript.
 *
 *   response.created · audio delta · text delta · audio done · text done · response.done · unit.done
 *
 * Text goes out as a transcript where exactly ["audio"] was granted, as output text otherwise.
 * Source: docs/protocols.md, 2.6, 2.7.
 */
import type { Deployment } from './deployment.js'
import type { EventSender } from './event-sender.js'
import { encodePcm16 } from './pcm16.js'

export interface MediaTime {
  readonly t_start_ms: number
  readonly duration_ms: number
}

export interface UnitOutput {
  readonly unitId: string
  readonly mediaTime: MediaTime
  /** Opens a response first. */
  readonly starts: boolean
  readonly audio: Int16Array
  readonly text: string
  /** How the response ends in this unit; undefined when it goes on, or when there is none. */
  readonly ends: ResponseEnd | undefined
}

export interface ResponseEnd {
  readonly status: 'completed' | 'cancelled' | 'failed'
  readonly reason: string
}

interface OpenResponse {
  readonly id: string
  readonly itemId: string
  readonly asTranscript: boolean
  text: string
}

export class ResponseWriter {
  readonly #deployment: Deployment
  readonly #events: EventSender
  readonly #itemIds = new Set<string>()
  #open: OpenResponse | undefined
  #responses = 0
  #chunkSeq = 0
  #outputModalities: readonly string[] = ['audio']

  constructor(deployment: Deployment, events: EventSender) {
    this.#deployment = deployment
    this.#events = events
  }

  /** Takes effect with the next response. */
  set outputModalities(modalities: readonly string[]) {
    this.#outputModalities = modalities
  }

  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** Whether the id is of an item that some response of this session made. */
  hasItem(itemId: string): boolean {
    return this.#itemIds.has(itemId)
  }

  /** Publishes one unit that is done. */
  writeUnit(unit: UnitOutput): void {
    if (unit.starts) this.#start()
    const response = this.#open
    if (response !== undefined) {
      if (unit.audio.length > 0) {
        this.#delta(response, 'output_audio', encodePcm16(unit.audio), unit)
      }
      if (unit.text !== '') {
        response.text += unit.text
        this.#delta(response, textEvent(response), unit.text, unit)
      }
      if (unit.ends !== undefined) this.end(unit.ends)
    }
    this.#events.send('sglang.unit.done', { unit_id: unit.unitId, sglang: this.#chunk(unit) })
  }

  /** Ends the open response, if there is one. */
  end({ status, reason }: ResponseEnd): void {
    const response = this.#open
    if (response === undefined) return
    this.#open = undefined
    const audioDone = () => this.#events.send('response.output_audio.done', ids(response))
    const textDone = () =>
      this.#events.send(`response.${textEvent(response)}.done`, {
        ...ids(response),
        [response.asTranscript ? 'transcript' : 'text']: response.text,
      })
    for (const done of this.#deployment.textDoneFirst ? [textDone, audioDone] : [audioDone, textDone]) done()
    const content = response.asTranscript
      ? [{ type: 'output_audio', transcript: response.text }]
      : [
          { type: 'output_audio', transcript: response.text },
          { type: 'output_text', text: response.text },
        ]
    this.#events.send('response.done', {
      response: {
        id: response.id,
        object: 'realtime.response',
        status,
        status_details: { reason },
        output: [{ id: response.itemId, object: 'realtime.item', type: 'message', role: 'assistant', content }],
        usage: null,
      },
    })
  }

  #start(): void {
    const number = this.#responses++
    const asTranscript = this.#outputModalities.length === 1 && this.#outputModalities[0] === 'audio'
    this.#open = { id: `resp_${number}`, itemId: `item_${number}`, asTranscript, text: '' }
    this.#itemIds.add(this.#open.itemId)
    this.#events.send('response.created', {
      response: { id: this.#open.id, object: 'realtime.response', status: 'in_progress', output: [] },
    })
  }

  #delta(response: OpenResponse, kind: string, delta: string, unit: UnitOutput): void {
    this.#events.send(`response.${kind}.delta`, { ...ids(response), delta, sglang: this.#chunk(unit) })
  }

  #chunk({ unitId, mediaTime }: UnitOutput): Record<string, unknown> {
    return { unit_id: unitId, chunk_seq: this.#chunkSeq++, media_time: mediaTime }
  }
}

function textEvent(response: OpenResponse): 'output_audio_transcript' | 'output_text' {
  return response.asTranscript ? 'output_audio_transcript' : 'output_text'
}

function ids(response: OpenResponse): Record<string, unknown> {
  return { response_id: response.id, item_id: response.itemId, output_index: 0, content_index: 0 }
}
