/** The opening handshake, seen from the client: RFC 6455, section 4.1. Asks for no subprotocol and no extension. */
import { createHash } from 'node:crypto'

const ACCEPT_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

export interface Target {
  readonly isSecure: boolean
  readonly host: string
  readonly port: number
}

/** Where to connect. @param url `ws://` or `wss://` */
export function targetOf(url: URL): Target {
  const isSecure = url.protocol === 'wss:'
  return {
    isSecure,
    host: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
  }
}

/**
 * The request without its key, the same for every connection; `requestText` puts the key in. User information in the URL
 * becomes basic authorization unless the caller gives an authorization of its own.
 * @param headers names and values as HTTP allows them
 */
export function requestHead(url: URL, headers: Readonly<Record<string, string>>): string {
  const own = { 'Sec-WebSocket-Version': '13', Connection: 'Upgrade', Upgrade: 'websocket' }
  const reserved = new Set([...Object.keys(own), 'Sec-WebSocket-Key'].map((name) => name.toLowerCase()))
  const given = Object.entries(headers).filter(([name]) => !reserved.has(name.toLowerCase()))
  const names = new Set(given.map(([name]) => name.toLowerCase()))
  const lines = [...given, ...Object.entries(own)]
  if (!names.has('host')) lines.push(['Host', url.host])
  if ((url.username !== '' || url.password !== '') && !names.has('authorization')) {
    const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`
    lines.push(['Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`])
  }
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${text}`
}

/** @param head from `requestHead` @param key base64 of 16 random bytes */
export function requestText(head: string, key: string): string {
  return `${head}Sec-WebSocket-Key: ${key}\r\n\r\n`
}

/** What is wrong with an answer that switches protocols; undefined where nothing is. @param headers names in lower case */
export function switchProblem(headers: ReadonlyMap<string, string>, key: string): string | undefined {
  if (headers.get('upgrade')?.toLowerCase() !== 'websocket') return 'Invalid Upgrade header'
  if (headers.get('sec-websocket-accept') !== acceptOf(key)) return 'Invalid Sec-WebSocket-Accept header'
  if (headers.has('sec-websocket-protocol')) return 'Server sent a subprotocol but none was requested'
  if (headers.has('sec-websocket-extensions')) {
    return 'Server sent a Sec-WebSocket-Extensions header but no extension was requested'
  }
  return undefined
}

export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}${ACCEPT_GUID}`).digest('base64')
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
