import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { junitXml } from '../../src/report/junit.js'
import { attributes, escapeText } from '../../src/report/xml-text.js'
import { LEVELS, MIXED_CHECKS, pipelineResult } from './pipeline-result.js'

describe('JUnit XML', () => {
  it('has a case for each check, which decide, and for each level, which then are findings', () => {
    expect(junitXml(pipelineResult(MIXED_CHECKS))).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="floorload" tests="7" failures="1" errors="2" skipped="2">
  <testsuite name="floorload minicpmo-native" tests="7" failures="1" errors="2" skipped="2">
    <testcase classname="minicpmo-native.gate" name="unit_miss_rate@2 &lt; 1%"/>
    <testcase classname="minicpmo-native.gate" name="unit_miss_rate@2,4 &lt; 1%">
      <failure message="25% at level 4, not &lt; 1%" type="missed">level 2 run 1, value 0, met
level 4 run 1, value 0.25, missed</failure>
    </testcase>
    <testcase classname="minicpmo-native.gate" name="confident(unit_miss_rate@2 &lt; 1%)">
      <error message="0% at level 2, 0% to 52.7129% at 95%, which does not settle &lt; 1%" type="inconclusive">level 2 run 1, value 0, 95% bounds 0 to 0.527129195, inconclusive</error>
    </testcase>
    <testcase classname="minicpmo-native.gate" name="denied@8 == 0">
      <error message="level 8 is invalid: the load generator fell behind" type="not_measured">level 8 run 1, value none, not_measured</error>
    </testcase>
    <testcase classname="minicpmo-native.levels" name="level 2 run 1 meets its targets"/>
    <testcase classname="minicpmo-native.levels" name="level 4 run 1 meets its targets">
      <skipped message="misses: unit miss 25.0% (at most 1.00%); the gate decides"/>
    </testcase>
    <testcase classname="minicpmo-native.levels" name="level 8 run 1 meets its targets">
      <skipped message="not measured: 1 pacing violation; the gate decides"/>
    </testcase>
  </testsuite>
</testsuites>
`)
  })

  it('without a gate has the levels as tests, and what was not measured is never green', () => {
    const text = junitXml(pipelineResult(undefined))
    expect(text).toContain('<testsuites name="floorload" tests="3" failures="1" errors="1" skipped="0">')
    expect(text).toContain('<failure message="misses: unit miss 25.0% (at most 1.00%)" type="missed">')
    expect(text).toContain('<error message="not measured: 1 pacing violation" type="invalid">')
  })

  it('without a level has an error in place of nothing', () => {
    expect(junitXml(pipelineResult(undefined, []))).toContain('tests="1" failures="0" errors="1"')
    const empty = { ...pipelineResult(undefined, []), profiles: [] }
    expect(junitXml(empty)).toContain('tests="1" failures="0" errors="1"')
  })

  it('is the same for the same result', () => {
    expect(junitXml(pipelineResult(MIXED_CHECKS))).toBe(junitXml(pipelineResult(MIXED_CHECKS, [...LEVELS])))
  })
})

describe('XML text', () => {
  const UNESCAPED = { lt: '<', gt: '>', amp: '&', quot: '"', '#9': '\t', '#10': '\n', '#13': '\r' }
  const parsed = (text: string) =>
    text.replace(/&([^;]+);/g, (_, name: string) => UNESCAPED[name as keyof typeof UNESCAPED] ?? '?')
  const anyText = fc.string({ unit: 'binary' })

  it('comes back as it was, but for characters that XML cannot hold', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const kept = [...text]
          .map((character) =>
            /[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(character) ? character : '\ufffd',
          )
          .join('')
        const attribute = attributes({ a: text })
        expect(attribute).toMatch(/^a="[^<"\t\n\r]*"$/)
        expect(parsed(attribute.slice(3, -1))).toBe(kept)
        expect(escapeText(text)).not.toMatch(/[<>]/)
        expect(parsed(escapeText(text))).toBe(kept)
      }),
    )
  })

  it.each([
    ['\u0000', '\ufffd'],
    ['a\ud800b', 'a\ufffdb'],
    ['\udc00', '\ufffd'],
    ['\u{1f600}', '\u{1f600}'],
    [']]>', ']]&gt;'],
  ])('%j becomes %j', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped)
  })
})
