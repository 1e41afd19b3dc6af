/**
 * What recognizers answer, to words: the transcription object of the OpenAI API (`verbose_json` with word times), the
 * variants that compatible servers make of it, and the field's `output.json`. Pure.
 */
import { z } from 'zod'
import { parseTranscript, type Transcript } from './transcript.js'

/** `word` of the OpenAI API, `text` of some others. */
const wordSchema = z
  .looseObject({
    word: z.string().optional(),
    text: z.string().optional(),
    start: z.number(),
    end: z.number().nullish(),
  })
  .transform(({ word, text, start, end }) => ({ text: word ?? text ?? '', startS: start, endS: end ?? null }))

const wordsSchema = z.array(wordSchema)

const answerSchema = z.looseObject({
  text: z.string().nullish(),
  words: z.unknown().optional(),
  /** Some servers put the words into their segments only. */
  segments: z.array(z.looseObject({ words: z.unknown().optional() })).nullish(),
  chunks: z.unknown().optional(),
})

export type WordAnswer =
  | { readonly ok: true; readonly transcript: Transcript }
  /** A phrase that follows "the answer": `has no words`. */
  | { readonly ok: false; readonly problem: string; readonly hasNoWords?: true }

/**
 * Reads an answer. Text without words is a problem, since a sample would count as silent; without text, no words are
 * right.
 */
export function parseWordAnswer(text: string): WordAnswer {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { ok: false, problem: `is not valid JSON: ${preview(text)}` }
  }
  const answer = answerSchema.safeParse(json)
  if (!answer.success) return { ok: false, problem: `is no transcription: ${preview(text)}` }
  if (answer.data.chunks !== undefined) {
    const parsed = parseTranscript(text)
    return parsed.ok ? parsed : { ok: false, problem: `has wrong chunks: ${parsed.problem}` }
  }
  const { segments } = answer.data
  const spoken = answer.data.text ?? ''
  let words = answer.data.words ?? undefined
  if (words === undefined && segments?.some((segment) => segment.words !== undefined)) {
    words = segments.flatMap((segment) => (segment.words as unknown[] | null | undefined) ?? [])
  }
  if (words === undefined || (Array.isArray(words) && words.length === 0)) {
    if (spoken.trim() === '' && (words !== undefined || answer.data.text != null)) {
      return { ok: true, transcript: { text: spoken, words: [] } }
    }
    return { ok: false, problem: 'has no words with times', hasNoWords: true }
  }
  const parsed = wordsSchema.safeParse(words)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const where = issue?.path.length ? `word ${issue.path.join('.')}` : 'words'
    return { ok: false, problem: `has no usable times: ${where}: ${issue?.message ?? 'is malformed'}` }
  }
  const joined = parsed.data.map((word) => word.text.trim()).join(' ')
  return { ok: true, transcript: { text: spoken === '' ? joined : spoken, words: parsed.data } }
}

function preview(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line === '') return 'it is empty'
  return line.length > 120 ? `${line.slice(0, 117)}...` : line
}
