/** The flags that give live figures out, and the events of a sweep that feed them. */
import { mergedSummary } from '../load/live-histogram.js'
import { type LiveExport, pushOtlp, servePrometheus } from '../sweep/live/live-export.io.js'
import { LiveFigures } from '../sweep/live/live-figures.js'
import { otlpTarget, prometheusAddress } from '../sweep/live/live-targets.js'
import type { SweepEvents } from '../sweep/run-sweep.io.js'

export interface LiveExportFlags {
  readonly prometheus?: string
  readonly otlp?: string
}

/**
 * What can be said of the flags before anything is done.
 * @throws UserError USAGE, URL_INVALID
 */
export function checkLiveExports({ prometheus, otlp }: LiveExportFlags): void {
  if (prometheus !== undefined) prometheusAddress(prometheus)
  if (otlp !== undefined) otlpTarget(otlp, process.env.OTEL_EXPORTER_OTLP_HEADERS)
}

/**
 * @returns the same events, heard on the way, and what has to be closed at the end
 * @throws UserError as `checkLiveExports`; PORT_IN_USE; nothing is left open
 */
export async function withLiveExports(
  events: SweepEvents,
  { prometheus, otlp }: LiveExportFlags,
): Promise<{ readonly events: SweepEvents; readonly close: () => Promise<void> }> {
  if (prometheus === undefined && otlp === undefined) return { events, close: async () => undefined }
  checkLiveExports({ ...(prometheus === undefined ? {} : { prometheus }), ...(otlp === undefined ? {} : { otlp }) })
  const live = new LiveFigures(mergedSummary)
  const figures = () => live.figures
  const exports: LiveExport[] = []
  if (prometheus !== undefined) exports.push(await servePrometheus(prometheusAddress(prometheus), figures))
  if (otlp !== undefined) {
    const target = otlpTarget(otlp, process.env.OTEL_EXPORTER_OTLP_HEADERS)
    exports.push(pushOtlp({ target, figures, onNote: (text) => events.note?.(text) }))
  }
  return {
    events: {
      ...events,
      levelBegins: (level, role) => {
        live.levelBegins({ ...level, role })
        events.levelBegins?.(level, role)
      },
      progress: (level, progress) => {
        live.progress(progress)
        events.progress?.(level, progress)
      },
      levelEnds: (level, analysed) => {
        live.levelEnds(level, analysed.row)
        events.levelEnds?.(level, analysed)
      },
    },
    close: async () => {
      await Promise.all(exports.map((own) => own.close()))
    },
  }
}
