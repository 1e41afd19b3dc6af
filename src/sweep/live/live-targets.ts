/** Where live figures go, as the flags and the environment say it. Pure. */
import { UserError } from '../../base/errors.js'
import { type HttpTarget, httpTarget } from '../http-target.js'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/**
 * @param address `PORT` on this machine alone, or `HOST:PORT`
 * @throws UserError USAGE
 */
export function prometheusAddress(address: string): ListenAddress {
  const match = /^(?:(\[[^\]]+\]|[^:[\]\s]+):)?(\d{1,5})$/.exec(address)
  const port = Number(match?.[2])
  if (match === null || port < 1 || port > 65_535) {
    throw new UserError({
      code: 'USAGE',
      message: `--prometheus ${address} is no port from 1 to 65535`,
      fix: 'give PORT, or HOST:PORT to be reached from other machines',
    })
  }
  return { host: (match[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port }
}

/**
 * @param url base of the collector, such as http://127.0.0.1:4318, or the whole address of its metrics
 * @param environment headers as `OTEL_EXPORTER_OTLP_HEADERS` has them, `name=value,other=value`, values percent-encoded
 * @throws UserError URL_INVALID, or USAGE when the headers are none
 */
export function otlpTarget(url: string, environment: string | undefined): HttpTarget {
  const target = httpTarget(url, { flag: '--otlp', example: 'http://127.0.0.1:4318' })
  const address = new URL(target.url)
  if (!address.pathname.endsWith('/v1/metrics')) {
    address.pathname = `${address.pathname.replace(/\/+$/, '')}/v1/metrics`
  }
  return { url: address.href, headers: { ...target.headers, ...otlpHeaders(environment ?? '') } }
}

function otlpHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair, index) => {
      const equals = pair.indexOf('=')
      const name = pair.slice(0, Math.max(0, equals)).trim().toLowerCase()
      const value = decoded(pair.slice(equals + 1).trim())
      // The value may be a secret and is not shown.
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || value === undefined || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
        throw new UserError({
          code: 'USAGE',
          message: `OTEL_EXPORTER_OTLP_HEADERS: entry ${index + 1} is no header`,
          fix: 'write name=value,other=value, with percent-encoded values',
        })
      }
      return [name, value]
    }),
  )
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
