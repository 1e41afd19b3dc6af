/**
 * `server-metrics.jsonl` beside the sessions of a level: what each endpoint said at each scrape, on the clock of the traces.
 * One schema, one version.
 * Source: docs/formats.md, "server-metrics.jsonl".
 */
import { z } from 'zod'

export const SERVER_METRICS_FILE = 'server-metrics.jsonl'
export const SERVER_METRICS_SCHEMA = 'floorload.server-metrics/1'

const headSchema = z.object({
  schema: z.literal(SERVER_METRICS_SCHEMA),
  interval_s: z.number().positive(),
  /** Without secrets. */
  endpoints: z.array(z.string()),
})
export type ScrapeHead = z.infer<typeof headSchema>

const scrapeSchema = z.object({
  time_s: z.number(),
  /** Which of the head's endpoints. */
  endpoint: z.number().int().min(0),
  /** By series; what is no finite number is left out. */
  values: z.record(z.string(), z.number()).optional(),
  /** Series that only grow. */
  counters: z.array(z.string()).optional(),
  /** Series that were chosen and are too many to keep. */
  left_out: z.number().int().optional(),
  error: z.string().optional(),
})
export type Scrape = z.infer<typeof scrapeSchema>

export interface ServerScrapes {
  readonly head: ScrapeHead
  readonly scrapes: readonly Scrape[]
}

/** Undefined where it is no such file; lines that cannot be read are passed over, as a cut last one is. */
export function parseServerScrapes(text: string): ServerScrapes | undefined {
  const [first = '', ...rest] = text.split('\n')
  const head = headSchema.safeParse(jsonOf(first))
  if (!head.success) return undefined
  const scrapes = rest.flatMap((line) => {
    const parsed = line === '' ? undefined : scrapeSchema.safeParse(jsonOf(line))
    return parsed?.success === true ? [parsed.data] : []
  })
  return { head: head.data, scrapes }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
