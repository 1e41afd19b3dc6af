/**
 * Short names of series for a reader. An exporter puts everything it knows into the labels of every series; shown are those that
 * tell the series apart, one where one will do. Pure.
 */

export interface NamedSeries {
  readonly endpoint: string
  /** `name{a="1"}` as `seriesText` writes it. */
  readonly series: string
}

/** Stands among the labels for the endpoint; no label can be called so. */
const PLACE = '@'
/** Names a reader looks for first. */
const PREFERRED = ['gpu', PLACE]

/** @returns by `seriesKey`; two series never share a name */
export function seriesLabels(all: readonly NamedSeries[]): ReadonlyMap<string, string> {
  const byName = new Map<string, Map<string, Labels>>()
  const place = placesOf(all.map(({ endpoint }) => endpoint))
  for (const one of all) {
    const name = nameOf(one.series)
    const own = byName.get(name) ?? new Map<string, Labels>()
    byName.set(name, own.set(seriesKey(one), new Map([...labelsOf(one.series), [PLACE, place(one.endpoint)]])))
  }
  const names = new Map<string, string>()
  for (const [name, series] of byName) {
    const keys = tellingKeys([...series.values()])
    for (const [key, labels] of series) names.set(key, labelText(name, labels, keys))
  }
  return names
}

type Labels = ReadonlyMap<string, string>

export function seriesKey({ endpoint, series }: NamedSeries): string {
  return `${series}\n${endpoint}`
}

export function nameOf(series: string): string {
  const brace = series.indexOf('{')
  return brace < 0 ? series : series.slice(0, brace)
}

/** Undoes `seriesText`. */
export function labelsOf(series: string): Labels {
  const pairs = series.slice(nameOf(series).length).matchAll(/([A-Za-z_][\w.]*)=("(?:[^"\\]|\\.)*")/g)
  return new Map([...pairs].map(([, key = '', quoted = '""']) => [key, textOf(quoted)]))
}

function textOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}

function tellingKeys(all: readonly Labels[]): readonly string[] {
  if (all.length < 2) return []
  const keys = [...new Set(all.flatMap((labels) => [...labels.keys()]))].sort()
  const valuesOf = (key: string) => all.map((labels) => labels.get(key) ?? '')
  const differing = keys.filter((key) => new Set(valuesOf(key)).size > 1)
  const alone = differing.filter((key) => new Set(valuesOf(key)).size === all.length)
  const cost = (key: string) => (PREFERRED.includes(key) ? 0 : 1 + valuesOf(key).join('').length)
  const [cheapest] = alone.sort((a, b) => cost(a) - cost(b) || (a < b ? -1 : 1))
  return cheapest === undefined ? differing : [cheapest]
}

function labelText(name: string, labels: Labels, keys: readonly string[]): string {
  const pairs = keys.flatMap((key) => {
    const value = labels.get(key)
    return value === undefined || key === PLACE ? [] : [`${key}=${JSON.stringify(value)}`]
  })
  const place = keys.includes(PLACE) ? ` @${labels.get(PLACE)}` : ''
  // What a server wrote must not reach a terminal as a command.
  const text = `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`}${place}`
  return text.replace(/\p{Cc}|\p{Cf}/gu, '\ufffd')
}

/** An endpoint's host; the whole address where hosts do not tell them apart. */
function placesOf(endpoints: readonly string[]): (endpoint: string) => string {
  const distinct = [...new Set(endpoints)]
  const hosts = distinct.map((endpoint) => (URL.canParse(endpoint) ? new URL(endpoint).host : endpoint))
  const areTelling = new Set(hosts).size === distinct.length
  return (endpoint) => (areTelling ? (hosts[distinct.indexOf(endpoint)] ?? endpoint) : endpoint)
}
