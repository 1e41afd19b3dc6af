/** The scores that a sweep left beside a level, as they are read again: checked for what a comparison takes from them. Pure. */
import { z } from 'zod'
import type { UnifiedResult, UnifiedRow } from '../../quality/unified/unified-result.js'
import type { ScoredCapture } from '../quality-result.js'

const head = { sample_id: z.string(), subset: z.string(), task: z.string() }
const seconds = z.number().nullable()

const rowSchema = z.union([
  z.looseObject({ ...head, eligible: z.literal(false), reasons: z.array(z.string()) }),
  z.looseObject({ ...head, eligible: z.literal(true), pause_intrusion: z.boolean() }),
  z.looseObject({
    ...head,
    eligible: z.literal(true),
    outcome: z.enum(['not_exercised', 'speaking_at_end', 'response', 'no_response']),
    latency_s: seconds,
    speech_at_onset: z.boolean(),
    stop_s: seconds,
  }),
  z.looseObject({
    ...head,
    eligible: z.literal(true),
    outcome: z.enum(['early_start', 'response', 'no_response']),
    latency_s: seconds,
  }),
])

const resultSchema = z.looseObject({
  definitions: z.string(),
  words: z.looseObject({ kind: z.string() }),
  speech: z.looseObject({ kind: z.string() }),
})

/** @returns what is wrong with the text, where it is no such scores */
export function parseScoredLevel(texts: { readonly result: string; readonly rows: string }): ScoredCapture | string {
  const result = resultSchema.safeParse(jsonOf(texts.result))
  if (!result.success) return `the scores are malformed: ${issueText(result.error)}`
  const rows: UnifiedRow[] = []
  for (const [index, line] of texts.rows.split('\n').entries()) {
    if (line.trim() === '') continue
    const row = rowSchema.safeParse(jsonOf(line))
    if (!row.success) return `row ${index + 1} of the scores is malformed`
    rows.push(row.data as unknown as UnifiedRow)
  }
  return { result: result.data as unknown as UnifiedResult, rows }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function issueText(error: z.ZodError): string {
  const issue = error.issues[0]
  return `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'malformed'}`
}
