/** Live figures as Prometheus text and as OTLP metrics in JSON. Pure. */
import { Gauge, Registry } from 'prom-client'
import type { LiveFigure } from './live-figures.js'

export async function prometheusText(figures: readonly LiveFigure[]): Promise<string> {
  const registry = new Registry()
  for (const [name, own] of byName(figures)) {
    const [first] = own
    if (first === undefined) continue
    const labelNames = [...new Set(own.flatMap(({ labels }) => Object.keys(labels)))]
    const gauge = new Gauge({ name, help: first.help, labelNames, registers: [registry] })
    for (const { labels, value } of own) gauge.set({ ...labels }, value)
  }
  return registry.metrics()
}

/**
 * The body of an OTLP/HTTP export.
 * @param options.timeUnixNano as a decimal text, since it is beyond the whole numbers of JSON readers
 * Source: OpenTelemetry Protocol 1.x, `ExportMetricsServiceRequest` in its JSON form.
 */
export function otlpMetrics(
  figures: readonly LiveFigure[],
  options: { readonly timeUnixNano: string; readonly toolVersion: string },
): object {
  const { timeUnixNano, toolVersion } = options
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributes({ 'service.name': 'floorload', 'service.version': toolVersion }) },
        scopeMetrics: [
          {
            scope: { name: 'floorload', version: toolVersion },
            metrics: [...byName(figures)].map(([name, own]) => ({
              name: name.replaceAll('_', '.'),
              description: own[0]?.help ?? '',
              unit: own[0]?.unit ?? '1',
              gauge: {
                dataPoints: own.map(({ labels, value }) => ({
                  attributes: attributes(labels),
                  timeUnixNano,
                  asDouble: value,
                })),
              },
            })),
          },
        ],
      },
    ],
  }
}

function byName(figures: readonly LiveFigure[]): Map<string, LiveFigure[]> {
  const groups = new Map<string, LiveFigure[]>()
  for (const figure of figures) groups.set(figure.name, [...(groups.get(figure.name) ?? []), figure])
  return groups
}

function attributes(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: value } }))
}
