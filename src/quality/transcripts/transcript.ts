/** What was said and when: the words of one window, in the field's `output.json`. Pure. */
import { z } from 'zod'
import { jsonText } from '../../base/json.js'

export interface Word {
  readonly text: string
  /** Seconds on the window `[0, T]`, as written, float noise included. */
  readonly startS: number
  /** Null where the recognizer gives no end: the word then has no length. */
  readonly endS: number | null
}

/** Words in the order of the file, which need not be the order of time. */
export interface Transcript {
  readonly text: string
  readonly words: readonly Word[]
}

/** Name of the file beside `output.wav`. */
export const TRANSCRIPT_FILE = 'output.json'

const schema = z.looseObject({
  text: z.string().default(''),
  chunks: z.array(
    z.looseObject({ text: z.string(), timestamp: z.tuple([z.number(), z.union([z.number(), z.null()])]) }),
  ),
})

/** Reads `output.json`; a problem as a phrase when it is none. A start that is null or no number is a problem. */
export function parseTranscript(
  text: string,
): { readonly ok: true; readonly transcript: Transcript } | { readonly ok: false; readonly problem: string } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'is not valid JSON' }
  }
  const parsed = schema.safeParse(json)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return { ok: false, problem: `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is malformed'}` }
  }
  const words = parsed.data.chunks.map(({ text: word, timestamp: [startS, endS] }) => ({ text: word, startS, endS }))
  return { ok: true, transcript: { text: parsed.data.text, words } }
}

/** Writes `output.json`: the same words give the same bytes. */
export function formatTranscript({ text, words }: Transcript): string {
  return jsonText({
    text,
    chunks: words.map(({ text: word, startS, endS }) => ({ text: word, timestamp: [startS, endS] })),
  })
}
