/**
 * What a client asks for in `turn_detection`, read for the protocols that have it. The simulated detector has one setting
 * that matters, the silence that ends a turn; a threshold is taken and echoed, and changes nothing. Pure.
 * Source: docs/protocols.md, 3.1 and 4.1
 */
import { z } from 'zod'
import { refusalOf } from './client-event.js'
import type { Refusal } from './refusal.js'

export interface TurnDetection {
  /** Silence that ends a turn. */
  readonly silenceMs: number
  readonly prefixPaddingMs: number
  /** Speech cuts a running reply. */
  readonly interruptsResponse: boolean
  /** As it goes back to the client, defaults filled in. */
  readonly echo: Readonly<Record<string, unknown>>
}

export interface TurnDetectionDefaults {
  readonly silenceMs: number
  readonly prefixPaddingMs: number
}

const ms = z.number().int().min(0).max(60_000)

const serverVad = z.strictObject({
  type: z.literal('server_vad'),
  threshold: z.number().min(0).max(1).default(0.5),
  prefix_padding_ms: ms.optional(),
  silence_duration_ms: ms.optional(),
  interrupt_response: z.boolean().optional(),
})

const semanticVad = z.strictObject({
  type: z.literal('semantic_vad'),
  eagerness: z.enum(['low', 'medium', 'high', 'auto']).default('medium'),
  interrupt_response: z.boolean().optional(),
})

const anyVad = z.discriminatedUnion('type', [serverVad, semanticVad])

/** The silence that stands for an end-of-turn model's patience, as a multiple of the default one. */
const PATIENCE = { low: 2, medium: 1, auto: 1, high: 0.5 } as const

/** Of a server that has `server_vad` alone, where speech always interrupts. */
export function readServerVad(value: unknown, defaults: TurnDetectionDefaults, param: string): TurnDetection | Refusal {
  const parsed = serverVad.safeParse(value)
  if (!parsed.success) return refusalOf(parsed.error, param)
  return { ...ofServerVad(parsed.data, defaults), interruptsResponse: true }
}

/** Of a server that has both kinds, and where the client says whether speech interrupts. */
export function readAnyVad(value: unknown, defaults: TurnDetectionDefaults, param: string): TurnDetection | Refusal {
  const parsed = anyVad.safeParse(value)
  if (!parsed.success) return refusalOf(parsed.error, param)
  const { data } = parsed
  const interruptsResponse = data.interrupt_response ?? true
  if (data.type === 'server_vad') {
    const read = ofServerVad(data, defaults)
    return { ...read, interruptsResponse, echo: { ...read.echo, interrupt_response: interruptsResponse } }
  }
  return {
    silenceMs: defaults.silenceMs * PATIENCE[data.eagerness],
    prefixPaddingMs: defaults.prefixPaddingMs,
    interruptsResponse,
    echo: { ...data, interrupt_response: interruptsResponse },
  }
}

function ofServerVad(
  vad: z.infer<typeof serverVad>,
  defaults: TurnDetectionDefaults,
): Omit<TurnDetection, 'interruptsResponse'> {
  const prefixPaddingMs = vad.prefix_padding_ms ?? defaults.prefixPaddingMs
  const silenceMs = vad.silence_duration_ms ?? defaults.silenceMs
  return {
    silenceMs,
    prefixPaddingMs,
    echo: { ...vad, prefix_padding_ms: prefixPaddingMs, silence_duration_ms: silenceMs },
  }
}
