/**
 * The output side of one session: turns what the model says into events, and keeps the ids, the chunk numbers and the
 * transcript. A native model says something in each unit, published in this order:
 *
 *   response.created · audio delta · text delta · audio done · text done · response.done · unit.done
 *
 * A cascade says its replies step by step, in the order in which it works them out.
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

/** The unit of input that some output answers. */
export interface UnitRef {
  readonly unitId: string
  readonly mediaTime: MediaTime
}

export interface UnitOutput extends UnitRef {
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
  hasMedia: boolean
  isMediaDone: boolean
}

export class ResponseWriter {
  readonly #deployment: Pick<Deployment, 'textDoneFirst'>
  readonly #events: EventSender
  readonly #itemIds = new Set<string>()
  #open: OpenResponse | undefined
  #responses = 0
  #chunkSeq = 0
  #outputModalities: readonly string[] = ['audio']

  constructor(deployment: Pick<Deployment, 'textDoneFirst'>, events: EventSender) {
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
    if (unit.starts) this.start()
    if (unit.audio.length > 0) this.writeAudio(unit.audio, unit)
    if (unit.text !== '') this.writeText(unit.text, unit)
    if (unit.ends !== undefined) this.end(unit.ends)
    this.unitDone(unit)
  }

  unitDone(unit: UnitRef): void {
    this.#events.send('sglang.unit.done', { unit_id: unit.unitId, sglang: this.#chunk(unit) })
  }

  /** @returns the id of the item that the response makes */
  start(): string {
    const number = this.#responses++
    const asTranscript = this.#outputModalities.length === 1 && this.#outputModalities[0] === 'audio'
    const names = { id: `resp_${number}`, itemId: `item_${number}` }
    this.#open = { ...names, asTranscript, text: '', hasMedia: false, isMediaDone: false }
    this.#itemIds.add(names.itemId)
    this.#events.send('response.created', {
      response: { id: names.id, object: 'realtime.response', status: 'in_progress', output: [] },
    })
    return names.itemId
  }

  writeAudio(pcm: Int16Array, unit: UnitRef): void {
    this.#delta('output_audio', encodePcm16(pcm), unit)
  }

  writeText(text: string, unit: UnitRef): void {
    const response = this.#open
    if (response === undefined) return
    response.text += text
    this.#delta(textEvent(response), text, unit)
  }

  /** Closes the parts of the open response, once; a response that said nothing has none. */
  mediaDone(): void {
    const response = this.#open
    if (response === undefined || !response.hasMedia || response.isMediaDone) return
    response.isMediaDone = true
    const audioDone = () => this.#events.send('response.output_audio.done', ids(response))
    const textDone = () =>
      this.#events.send(`response.${textEvent(response)}.done`, {
        ...ids(response),
        [response.asTranscript ? 'transcript' : 'text']: response.text,
      })
    for (const done of this.#deployment.textDoneFirst ? [textDone, audioDone] : [audioDone, textDone]) done()
  }

  /** Ends the open response, if there is one. */
  end({ status, reason }: ResponseEnd): void {
    const response = this.#open
    if (response === undefined) return
    this.mediaDone()
    this.#open = undefined
    this.#events.send('response.done', {
      response: {
        id: response.id,
        object: 'realtime.response',
        status,
        status_details: { reason },
        output: response.hasMedia ? [messageOf(response)] : [],
        usage: null,
      },
    })
  }

  #delta(kind: string, delta: string, unit: UnitRef): void {
    const response = this.#open
    if (response === undefined) return
    response.hasMedia = true
    this.#events.send(`response.${kind}.delta`, { ...ids(response), delta, sglang: this.#chunk(unit) })
  }

  #chunk({ unitId, mediaTime }: UnitRef): Record<string, unknown> {
    return { unit_id: unitId, chunk_seq: this.#chunkSeq++, media_time: mediaTime }
  }
}

function messageOf({ itemId, asTranscript, text }: OpenResponse): Record<string, unknown> {
  const audio = { type: 'output_audio', transcript: text }
  const content = asTranscript ? [audio] : [audio, { type: 'output_text', text }]
  return { id: itemId, object: 'realtime.item', type: 'message', role: 'assistant', content }
}

function textEvent(response: OpenResponse): 'output_audio_transcript' | 'output_text' {
  return response.asTranscript ? 'output_audio_transcript' : 'output_text'
}

function ids(response: OpenResponse): Record<string, unknown> {
  return { response_id: response.id, item_id: response.itemId, output_index: 0, content_index: 0 }
}
