import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PrometheusSample, parsePrometheusText } from '../../../src/sweep/server-metrics/prometheus-text.js'

const name = fc.stringMatching(/^[a-z_:][a-z0-9_:]{0,12}$/)
const key = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/).filter((text) => text !== '__proto__')
const sample: fc.Arbitrary<PrometheusSample> = fc.record({
  name,
  labels: fc.dictionary(key, fc.string(), { maxKeys: 4 }).map((labels) => ({ ...labels })),
  value: fc.double({ noNaN: true, noDefaultInfinity: true }),
})

function written({ name: metric, labels, value }: PrometheusSample): string {
  const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${metric}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`
}

test('what was written is read', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 8 }), (samples) => {
      const page = parsePrometheusText(`${samples.map(written).join('\n')}\n`)
      expect(page.brokenLines).toBe(0)
      expect(page.samples).toEqual(samples.map((one) => ({ ...one, value: one.value + 0 })))
    }),
  )
})

test('any text is read to its end without a throw', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void parsePrometheusText(text)))
})
