/** Which transport a level uses. Pure, so that the process that plans a level and the one that runs it agree. */

import type { TransportChoice } from '../profile/sweep-file.js'

export type TransportName = Exclude<TransportChoice, 'auto'>

/**
 * `auto` is `lean`, but for an address that the environment sends through a proxy: the lean transport knows none.
 * @param url `ws://` or `wss://`
 * @param env the environment of the process; the usual names, in either case
 */
export function transportFor(options: {
  readonly choice: TransportChoice
  readonly url: string
  readonly env: Readonly<Record<string, string | undefined>>
}): TransportName {
  if (options.choice !== 'auto') return options.choice
  return isProxied(new URL(options.url), options.env) ? 'ws' : 'lean'
}

function isProxied({ protocol, hostname }: URL, env: Readonly<Record<string, string | undefined>>): boolean {
  const setting = (name: string) => env[name.toLowerCase()] || env[name.toUpperCase()] || ''
  const proxy = setting(protocol === 'wss:' ? 'https_proxy' : 'http_proxy') || setting('all_proxy')
  if (proxy === '' || isLoopback(hostname)) return false
  const direct = setting('no_proxy')
    .toLowerCase()
    .split(/[\s,]+/)
    .map((entry) => entry.replace(/:\d+$/, '').replace(/^\*?\./, ''))
    .filter((entry) => entry !== '')
  return !direct.some((entry) => entry === '*' || hostname === entry || hostname.endsWith(`.${entry}`))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
