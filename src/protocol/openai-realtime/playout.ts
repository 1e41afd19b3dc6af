/**
 * What a listener has heard by now: reply audio plays first in, first out, from its receipt or from when the audio before it
 * ends. Reply audio arrives faster than it plays, so a barge-in has to know where playing stands. Pure.
 */
import type { DurationUs, InstantUs } from '../../base/clock.js'
import { US_PER_MS } from '../../base/clock.js'

interface PlayingItem {
  readonly itemId: string
  readonly contentIndex: number
  readonly pieces: { readonly beginUs: InstantUs; readonly durationUs: DurationUs }[]
}

export interface HeardItem {
  readonly itemId: string
  readonly contentIndex: number
  /** Whole milliseconds of the item that were played; never more than exist. */
  readonly playedMs: number
}

export class Playout {
  #endUs: InstantUs = 0
  #items: PlayingItem[] = []

  /** Reply audio arrived. */
  add(options: { itemId: string; contentIndex: number; atUs: InstantUs; durationUs: DurationUs }): void {
    const { itemId, contentIndex, atUs, durationUs } = options
    const beginUs = Math.max(this.#endUs, atUs)
    this.#endUs = beginUs + durationUs
    const last = this.#items.at(-1)
    if (last?.itemId === itemId && last.contentIndex === contentIndex) last.pieces.push({ beginUs, durationUs })
    else this.#items.push({ itemId, contentIndex, pieces: [{ beginUs, durationUs }] })
  }

  /** Stops playing: what is queued is dropped. Undefined when nothing was playing or waiting to be played. */
  cut(atUs: InstantUs): HeardItem | undefined {
    const items = this.#items
    this.#items = []
    if (this.#endUs <= atUs) return undefined
    this.#endUs = atUs
    const playing = items.find(({ pieces }) => pieces.some(({ beginUs, durationUs }) => beginUs + durationUs > atUs))
    if (playing === undefined) return undefined
    const playedUs = playing.pieces.reduce(
      (sum, { beginUs, durationUs }) => sum + Math.min(durationUs, Math.max(0, atUs - beginUs)),
      0,
    )
    const { itemId, contentIndex } = playing
    return { itemId, contentIndex, playedMs: Math.floor(playedUs / US_PER_MS) }
  }
}
