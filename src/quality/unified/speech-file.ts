/** A file of speech segments of one window, for detectors that run elsewhere: `[[start_s, end_s], …]`. */
import { z } from 'zod'
import type { SpanS } from '../../dataset/annotation.js'
import type { Checked } from './check-sample.js'

const schema = z.array(z.tuple([z.number(), z.number()]))

export function parseSpeechFile(text: string): Checked<readonly SpanS[]> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'is not valid JSON' }
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return { ok: true, value: parsed.data }
  const at = parsed.error.issues[0]?.path.join('.')
  return { ok: false, problem: `is not a list of segments [start, end] in seconds${at ? ` (at ${at})` : ''}` }
}
