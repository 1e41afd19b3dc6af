import { expect, test } from 'vitest'
import { transportFor } from '../../src/load/transport-choice.js'

const PROXY = 'http://proxy:3128'

test.each([
  { choice: 'auto', url: 'ws://host/', env: {}, expected: 'lean' },
  { choice: 'auto', url: 'wss://host/', env: { HTTP_PROXY: PROXY }, expected: 'lean' },
  { choice: 'auto', url: 'ws://host/', env: { HTTP_PROXY: PROXY }, expected: 'ws' },
  { choice: 'auto', url: 'wss://host/', env: { https_proxy: PROXY }, expected: 'ws' },
  { choice: 'auto', url: 'wss://host/', env: { ALL_PROXY: PROXY }, expected: 'ws' },
  { choice: 'auto', url: 'ws://host/', env: { HTTP_PROXY: '' }, expected: 'lean' },
  { choice: 'auto', url: 'ws://host/', env: { HTTP_PROXY: PROXY, NO_PROXY: 'other, host:80' }, expected: 'lean' },
  { choice: 'auto', url: 'ws://a.lan/', env: { HTTP_PROXY: PROXY, no_proxy: '.lan' }, expected: 'lean' },
  { choice: 'auto', url: 'ws://a.lan/', env: { HTTP_PROXY: PROXY, no_proxy: '*' }, expected: 'lean' },
  { choice: 'auto', url: 'ws://plan/', env: { HTTP_PROXY: PROXY, no_proxy: 'lan' }, expected: 'ws' },
  { choice: 'auto', url: 'ws://127.0.0.1:80/', env: { HTTP_PROXY: PROXY }, expected: 'lean' },
  { choice: 'auto', url: 'ws://[::1]/', env: { HTTP_PROXY: PROXY }, expected: 'lean' },
  { choice: 'lean', url: 'ws://host/', env: { HTTP_PROXY: PROXY }, expected: 'lean' },
  { choice: 'ws', url: 'ws://host/', env: {}, expected: 'ws' },
] as const)('$choice for $url with $env is $expected', ({ choice, url, env, expected }) => {
  expect(transportFor({ choice, url, env })).toBe(expected)
})
