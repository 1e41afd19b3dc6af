/**
 * Prometheus text and OpenMetrics, as exporters write them. A line that cannot be read is passed over and counted: one broken
 * exporter line must not hide the others. Pure.
 * Source: "Exposition formats", prometheus.io; OpenMetrics 1.0.
 */

export interface PrometheusSample {
  readonly name: string
  /** In the order of the line. */
  readonly labels: Readonly<Record<string, string>>
  /** May be NaN or infinite. */
  readonly value: number
}

export interface PrometheusPage {
  readonly samples: readonly PrometheusSample[]
  /** By metric name, as `# TYPE` says: `counter`, `gauge`, `histogram`, … */
  readonly types: ReadonlyMap<string, string>
  readonly brokenLines: number
}

export function parsePrometheusText(text: string): PrometheusPage {
  const samples: PrometheusSample[] = []
  const types = new Map<string, string>()
  let brokenLines = 0
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '') continue
    if (line === '# EOF') break
    if (line.startsWith('#')) {
      const type = /^#\s+TYPE\s+(\S+)\s+(\S+)/.exec(line)
      if (type?.[1] !== undefined && type[2] !== undefined) types.set(type[1], type[2])
      continue
    }
    const sample = parseSample(line)
    if (sample === undefined) brokenLines += 1
    else samples.push(sample)
  }
  return { samples, types, brokenLines }
}

const NAME = /^[A-Za-z_:][\w:.]*/
const LABEL = /^[A-Za-z_][\w.]*/

function parseSample(line: string): PrometheusSample | undefined {
  const name = NAME.exec(line)?.[0]
  if (name === undefined) return undefined
  let at = name.length
  let labels: Readonly<Record<string, string>> = {}
  if (line[at] === '{') {
    const parsed = parseLabels(line, at + 1)
    if (parsed === undefined) return undefined
    labels = parsed.labels
    at = parsed.end
  }
  // A time stamp or an exemplar may follow; neither is of use here.
  const value = /^\s+(\S+)/.exec(line.slice(at))?.[1]
  const number = value === undefined ? undefined : parseValue(value)
  return number === undefined ? undefined : { name, labels, value: number }
}

/** From behind the opening brace; a comma may stand before the closing one. */
function parseLabels(line: string, from: number): { labels: Record<string, string>; end: number } | undefined {
  const labels: Record<string, string> = Object.create(null) as Record<string, string>
  let at = skipSpace(line, from)
  while (line[at] !== '}') {
    const key = LABEL.exec(line.slice(at))?.[0]
    if (key === undefined) return undefined
    at = skipSpace(line, at + key.length)
    if (line[at] !== '=') return undefined
    at = skipSpace(line, at + 1)
    if (line[at] !== '"') return undefined
    const text = parseQuoted(line, at + 1)
    if (text === undefined) return undefined
    labels[key] = text.value
    at = skipSpace(line, text.end)
    if (line[at] === ',') at = skipSpace(line, at + 1)
    else if (line[at] !== '}') return undefined
  }
  return { labels: { ...labels }, end: at + 1 }
}

function parseQuoted(line: string, from: number): { value: string; end: number } | undefined {
  let value = ''
  for (let at = from; at < line.length; at += 1) {
    const character = line[at]
    if (character === '"') return { value, end: at + 1 }
    if (character !== '\\') {
      value += character
      continue
    }
    at += 1
    const escaped = line[at]
    if (escaped === undefined) return undefined
    value += escaped === 'n' ? '\n' : escaped === '"' || escaped === '\\' ? escaped : `\\${escaped}`
  }
  return undefined
}

function skipSpace(line: string, from: number): number {
  let at = from
  while (line[at] === ' ' || line[at] === '\t') at += 1
  return at
}

function parseValue(text: string): number | undefined {
  if (/^[+-]?inf(?:inity)?$/i.test(text))
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (/^nan$/i.test(text)) return Number.NaN
  const value = Number(text)
  return text === '' || Number.isNaN(value) ? undefined : value
}

/** `name{a="1",b="2"}`, labels by name: one text for one series. */
export function seriesText({ name, labels }: Pick<PrometheusSample, 'name' | 'labels'>): string {
  const keys = Object.keys(labels).sort()
  if (keys.length === 0) return name
  return `${name}{${keys.map((key) => `${key}=${JSON.stringify(labels[key])}`).join(',')}}`
}
