/** The last line of a terminal, written again in its place. Lines above it can be added; at the end it leaves no trace. */

const INTERVAL_MS = 250
/** Where a terminal does not say how wide it is. */
const COLUMNS = 80

export class StatusLine {
  readonly #stream: NodeJS.WriteStream
  readonly #textFor: (width: number) => string
  #timer: NodeJS.Timeout | undefined
  #shown = ''

  /** @param textFor one line, shorter than the width; asked for again each time, since a window may be resized */
  constructor(stream: NodeJS.WriteStream, textFor: (width: number) => string) {
    this.#stream = stream
    this.#textFor = textFor
  }

  start(): void {
    this.#timer = setInterval(this.#draw, INTERVAL_MS)
    this.#stream.on('resize', this.#onResize)
    this.#draw()
  }

  /** Writes a line of its own above. */
  above(text: string): void {
    this.#erase()
    this.#stream.write(`${text}\n`)
    if (this.#timer !== undefined) this.#draw()
  }

  stop(): void {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#stream.off('resize', this.#onResize)
    this.#erase()
  }

  readonly #draw = () => {
    const text = this.#textFor(this.#width)
    if (text === this.#shown) return
    this.#stream.write(`\r${text}\u001b[J`)
    this.#shown = text
  }

  /** A narrower window has broken the line that stands in it into several; what was broken off would stay. */
  readonly #onResize = () => {
    const rows = Math.ceil(plainLength(this.#shown) / this.#width) - 1
    if (rows > 0) this.#stream.write(`\u001b[${rows}A`)
    this.#erase()
    this.#draw()
  }

  #erase(): void {
    if (this.#shown !== '') this.#stream.write('\r\u001b[J')
    this.#shown = ''
  }

  get #width(): number {
    return this.#stream.columns || COLUMNS
  }
}

function plainLength(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape codes
  return text.replace(/\u001b\[\d+m/g, '').length
}
