/** What the command line knows of its terminal: colour, width, and how errors and notes are printed. */

export interface ErrorParts {
  readonly message: string
  readonly code: string
  readonly at?: string | undefined
  readonly fix?: string | undefined
}

/** One line: what is wrong, where, what to do, and the code to search for. */
export function errorLine({ message, code, at, fix }: ErrorParts): string {
  const where = at === undefined || message.includes(at) ? '' : ` (${at})`
  const todo = fix === undefined ? '' : `; ${fix}`
  return `error: ${plainLine(`${message}${where}${todo}`)} [${code}]\n`
}

/** One line without control characters: an error may quote what a user or a server wrote. */
function plainLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
}

/** Colour on a terminal that has not asked for none (no-color.org), and where it is forced. */
export function hasColour(stream: NodeJS.WriteStream): boolean {
  if (process.env.NO_COLOR !== undefined && process.env.NO_COLOR !== '') return false
  if (process.env.FORCE_COLOR !== undefined && process.env.FORCE_COLOR !== '0') return true
  return stream.isTTY === true && process.env.TERM !== 'dumb'
}

/** How tables are drawn on a stream: as wide as its terminal, or as they like in a pipe. */
export function tableStyleFor(stream: NodeJS.WriteStream): { colour: boolean; width: number | undefined } {
  return { colour: hasColour(stream), width: stream.isTTY === true ? stream.columns : undefined }
}

export function note(text: string): void {
  process.stderr.write(`note: ${text}\n`)
}

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}
