import { describe, expect, it } from 'vitest'
import { otlpTarget, prometheusAddress } from '../../../src/sweep/live/live-targets.js'

describe('where Prometheus looks', () => {
  it.each([
    { text: '9464', host: '127.0.0.1', port: 9464 },
    { text: '0.0.0.0:9464', host: '0.0.0.0', port: 9464 },
    { text: '[::1]:1', host: '::1', port: 1 },
  ])('$text', ({ text, host, port }) => {
    expect(prometheusAddress(text)).toEqual({ host, port })
  })

  it.each(['', 'x', '0', '99999', 'host:', '1:2:3', ':1', '-1', '1.5'])('is not "%s"', (text) => {
    expect(() => prometheusAddress(text)).toThrow(expect.objectContaining({ code: 'USAGE' }))
  })
})

describe('where OTLP metrics go', () => {
  it.each([
    { url: 'http://box:4318', is: 'http://box:4318/v1/metrics' },
    { url: 'http://box:4318/', is: 'http://box:4318/v1/metrics' },
    { url: 'https://box/otlp/', is: 'https://box/otlp/v1/metrics' },
    { url: 'https://box/v1/metrics?key=1', is: 'https://box/v1/metrics?key=1' },
  ])('$url', ({ url, is }) => {
    expect(otlpTarget(url, undefined)).toEqual({ url: is, headers: {} })
  })

  it('takes user information and the environment for headers', () => {
    const { url, headers } = otlpTarget('http://ann:pw@box', ' Api-Key = a%20b%2Cc , other=x=y,')
    expect(url).toBe('http://box/v1/metrics')
    expect(headers).toEqual({ authorization: 'Basic YW5uOnB3', 'api-key': 'a b,c', other: 'x=y' })
  })

  it.each(['secret', '=secret', 'a b=secret', 'a=secret%zz', 'a=secret%0a'])('no header: %s', (text) => {
    const call = () => otlpTarget('http://box', text)
    expect(call).toThrow(expect.objectContaining({ code: 'USAGE' }))
    expect(call).not.toThrow(/secret/)
  })

  it.each(['ftp://box', 'box:4318', ''])('is not "%s"', (url) => {
    expect(() => otlpTarget(url, undefined)).toThrow(expect.objectContaining({ code: 'URL_INVALID' }))
  })
})
