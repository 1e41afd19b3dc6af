import { describe, expect, it } from 'vitest'
import { jsonRedactor, redactor, redactUrl, secretsOf } from '../../src/base/redact.js'

describe('a URL as it may be stored', () => {
  it.each([
    { name: 'nothing to hide', url: 'ws://host:8000/v1/realtime', shown: 'ws://host:8000/v1/realtime' },
    { name: 'user and password', url: 'wss://me:pass@host/x', shown: 'wss://***@host/x' },
    { name: 'a user alone', url: 'wss://token@host/x', shown: 'wss://***@host/x' },
    { name: 'a password alone', url: 'wss://:pass@host/x', shown: 'wss://***@host/x' },
    { name: 'harmless parameters stay', url: 'ws://h/?model=a&duplex=native', shown: 'ws://h/?model=a&duplex=native' },
    {
      name: 'unknown parameters are masked',
      url: 'ws://h/?model=a&api_key=k123',
      shown: 'ws://h/?model=a&api_key=***',
    },
    { name: 'a parameter given twice', url: 'ws://h/?t=one&t=two', shown: 'ws://h/?t=***' },
    { name: 'a fragment', url: 'ws://h/x#access_token=abc', shown: 'ws://h/x' },
    { name: 'no URL, with a user', url: '//me:pass@host/x', shown: '//***@host/x' },
    { name: 'no URL, with a query', url: 'host/x?key=abc&model=m', shown: 'host/x?key=***&model=***' },
  ])('$name', ({ url, shown }) => {
    expect(redactUrl(url)).toBe(shown)
  })
})

describe('what is secret', () => {
  it.each([
    {
      name: 'header values, whole and the word behind the scheme',
      headers: { Authorization: 'Bearer sk-12345' },
      expected: ['Bearer sk-12345', 'sk-12345'],
    },
    {
      name: 'user information, also decoded',
      url: 'wss://me%40x:p%3Fss@h/',
      expected: ['me%40x', 'p%3Fss', 'me@x', 'p?ss', 'me@x:p?ss', 'bWVAeDpwP3Nz'],
    },
    {
      name: 'unknown query values, also encoded',
      url: 'ws://h/?key=a%2Fbc&model=harmless',
      expected: ['a%2Fbc', 'a/bc'],
    },
    { name: 'nothing shorter than four characters', url: 'ws://h/?v=1', headers: { 'x-trace': 'on' }, expected: [] },
    { name: 'nothing in what is no URL', url: 'no url', expected: [] },
  ])('$name', ({ url = 'ws://h/', headers = {}, expected }) => {
    expect(secretsOf({ url, headers: headers as Record<string, string> }).sort()).toEqual([...expected].sort())
  })

  it('the longest comes first, so that no secret is cut by a shorter one inside it', () => {
    const secrets = secretsOf({ url: 'ws://h/', headers: { a: 'sk-1', b: 'sk-12345' } })
    expect(redactor(secrets)('sk-12345 sk-1')).toBe('*** ***')
  })
})

describe('free text', () => {
  it('loses every secret wherever it turns up', () => {
    expect(redactor(['sk-1234'])('GET /?k=sk-1234 failed: sk-1234 is unknown')).toBe(
      'GET /?k=*** failed: *** is unknown',
    )
  })

  it('stays as it is where there is none', () => {
    expect(redactor([])('text')).toBe('text')
    expect(redactor(['sk-1234'])('text')).toBe('text')
  })

  it('a secret is text and no pattern', () => {
    expect(redactor(['a.c$&+'])('abc a.c$&+')).toBe('abc ***')
  })
})

describe('stored frames', () => {
  it('lose secrets in their text values and stay JSON', () => {
    const text = JSON.stringify({ type: 'error', error: { message: 'bad key sk-123456', list: ['sk-123456'] } })
    const redacted = JSON.parse(jsonRedactor(['sk-123456'])(text)) as unknown
    expect(redacted).toEqual({ type: 'error', error: { message: 'bad key ***', list: ['***'] } })
  })

  it('keep their bytes where no secret occurs', () => {
    const text = '{ "seq": 3.0, "text": "x" }'
    expect(jsonRedactor(['sk-123456'])(text)).toBe(text)
  })

  it('are not searched for what could be a word of the protocol', () => {
    expect(jsonRedactor(['audio'])('{"type":"audio"}')).toBe('{"type":"audio"}')
  })
})
