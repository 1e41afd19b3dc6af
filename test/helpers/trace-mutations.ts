/**
 * Takes a valid trace apart and breaks one thing in it. Lines are named by direction, type and, where there are several,
 * a number from 0 or `last`: `send input_audio_buffer.append#2`, `receive response.done#last`.
 */
import { parseTrace, type TraceLine } from '../../src/capture/trace-record.js'

export type WireObject = Record<string, unknown>

export interface DraftLine {
  direction: string
  time_s: number
  event: WireObject
}

interface Entry {
  line: DraftLine
  /** Text edits that JSON values cannot express, such as `3.0`. */
  readonly replacements: (readonly [from: string, to: string])[]
}

export class TraceDraft {
  readonly #entries: Entry[]
  #tail = ''

  constructor(text: string) {
    this.#entries = text
      .trimEnd()
      .split('\n')
      .map((line) => ({ line: JSON.parse(line) as DraftLine, replacements: [] }))
  }

  /** The event of a named line, to be changed in place. */
  event(name: string): WireObject {
    return this.#entry(name).line.event
  }

  /** Sets the value at a path inside the event; undefined takes the key away. */
  set(name: string, path: string, value: unknown): this {
    const keys = path.split('.')
    const last = keys.pop() ?? ''
    let holder = this.event(name)
    for (const key of keys) holder = holder[key] as WireObject
    if (value === undefined) delete holder[last]
    else holder[last] = value
    return this
  }

  setTime(name: string, timeS: number): this {
    this.#entry(name).line.time_s = timeS
    return this
  }

  remove(...names: string[]): this {
    for (const name of names) this.#entries.splice(this.#indexOf(name), 1)
    return this
  }

  /** Takes away every line of a direction and type. */
  removeAll(directionAndType: string): this {
    const kept = this.#entries.filter(({ line }) => nameOf(line) !== directionAndType)
    this.#entries.splice(0, this.#entries.length, ...kept)
    return this
  }

  /** Takes away two lines and all between them. */
  removeAllBetween(first: string, last: string): this {
    const from = this.#indexOf(first)
    this.#entries.splice(from, this.#indexOf(last) - from + 1)
    return this
  }

  /** Numbers the received events that have this key 1, 2, 3, as a server does that sends what is there now. */
  renumber(key: string): this {
    const numbered = this.#entries.filter(({ line }) => line.direction === 'receive' && key in line.event)
    for (const [index, { line }] of numbered.entries()) line.event[key] = index + 1
    return this
  }

  /** Gives a type another name wherever it was received. */
  rename(type: string, newType: string): this {
    for (const { line } of this.#entries) {
      if (line.direction === 'receive' && line.event.type === type) line.event.type = newType
    }
    return this
  }

  /** Moves a line right behind another and gives it that line's time. */
  moveAfter(name: string, other: string): this {
    return this.#move(name, other, 1)
  }

  moveBefore(name: string, other: string): this {
    return this.#move(name, other, 0)
  }

  /** A new line right behind another, at its time. */
  insertAfter(other: string, direction: string, event: WireObject): this {
    const index = this.#indexOf(other)
    const timeS = this.#entry(other).line.time_s
    this.#entries.splice(index + 1, 0, { line: { direction, time_s: timeS, event }, replacements: [] })
    return this
  }

  insertBefore(other: string, direction: string, event: WireObject): this {
    const index = this.#indexOf(other)
    const timeS = this.#entry(other).line.time_s
    this.#entries.splice(index, 0, { line: { direction, time_s: timeS, event }, replacements: [] })
    return this
  }

  /** A copy right behind the original, with an event id of its own. */
  duplicate(name: string, changes: WireObject = {}): this {
    const { line } = this.#entry(name)
    const copy = structuredClone(line.event)
    return this.insertAfter(name, line.direction, { ...copy, event_id: `${String(copy.event_id)}_again`, ...changes })
  }

  replaceText(name: string, from: string, to: string): this {
    this.#entry(name).replacements.push([from, to])
    return this
  }

  /** Text behind the last line, as it stands. */
  appendText(text: string): this {
    this.#tail += text
    return this
  }

  count(directionAndType: string): number {
    return this.#entries.filter(({ line }) => nameOf(line) === directionAndType).length
  }

  toText(): string {
    const lines = this.#entries.map(({ line, replacements }) => {
      let text = JSON.stringify(line)
      for (const [from, to] of replacements) {
        if (!text.includes(from)) throw new Error(`the line does not hold ${from}`)
        text = text.replace(from, to)
      }
      return `${text}\n`
    })
    return lines.join('') + this.#tail
  }

  toLines(): TraceLine[] {
    return parseTrace(this.toText())
  }

  #move(name: string, other: string, offset: 0 | 1): this {
    const entry = this.#entry(name)
    const target = this.#entry(other)
    this.#entries.splice(this.#entries.indexOf(entry), 1)
    entry.line.time_s = target.line.time_s
    this.#entries.splice(this.#entries.indexOf(target) + offset, 0, entry)
    return this
  }

  #entry(name: string): Entry {
    const entry = this.#entries[this.#indexOf(name)]
    if (entry === undefined) throw new Error(`no line ${name}`)
    return entry
  }

  #indexOf(name: string): number {
    const [wanted = '', which = '0'] = name.split('#')
    const indexes = this.#entries.flatMap(({ line }, index) => (nameOf(line) === wanted ? [index] : []))
    const index = which === 'last' ? indexes.at(-1) : indexes[Number(which)]
    if (index === undefined) throw new Error(`no line ${name} in the trace`)
    return index
  }
}

/** Base64 of so many samples of the value 1. */
export function audioOfSamples(samples: number): string {
  return Buffer.from(new Int16Array(samples).fill(1).buffer).toString('base64')
}

function nameOf({ direction, event }: DraftLine): string {
  return `${direction} ${String(event.type)}`
}
