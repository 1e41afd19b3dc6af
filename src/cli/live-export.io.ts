/** The flags that give live figures out, and the events of a sweep that feed them. */
import { mergedSummary, prepareHistograms } from '../load/live-stats.io.js'
import { type LiveExport, pushOtlp, servePrometheus } from '../sweep/live/live-export.io.js'
import { LiveFigures } from '../sweep/live/live-figures.js'
import type { SweepEvents } from '../sweep/run-sweep.io.js'

export interface LiveExportFlags {
  readonly prometheus?: string
  readonly otlp?: string
}

/**
 * @returns the same events, heard on the way, and what has to be closed at the end
 * @throws UserError as the exports do, before anything is sent
 */
export async function withLiveExports(
  events: SweepEvents,
  { prometheus, otlp }: LiveExportFlags,
): Promise<{ readonly events: SweepEvents; readonly close: () => Promise<void> }> {
  if (prometheus === undefined && otlp === undefined) return { events, close: async () => undefined }
  await prepareHistograms()
  const live = new LiveFigures((histogram) => mergedSummary([histogram]))
  const figures = () => live.figures
  const exports: LiveExport[] = []
  if (prometheus !== undefined) exports.push(await servePrometheus(prometheus, figures))
  if (otlp !== undefined) {
    const headers = otlpHeaders(process.env.OTEL_EXPORTER_OTLP_HEADERS ?? '')
    exports.push(pushOtlp({ url: otlp, headers, figures, onNote: (text) => events.note?.(text) }))
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
      for (const own of exports) await own.close()
    },
  }
}

/** `name=value,other=value`, as the variable of that name is written everywhere. */
function otlpHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const equals = pair.indexOf('=')
      return equals <= 0 ? [] : [[pair.slice(0, equals).trim(), decodeURIComponent(pair.slice(equals + 1).trim())]]
    }),
  )
}
