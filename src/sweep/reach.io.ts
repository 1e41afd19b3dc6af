/**
 * Is there a server, and does it let us in? One real handshake before anything is written, so that a wrong address or a
 * missing key is an error at once and not a level full of failed sessions.
 */
import { request } from 'undici'
import { messageOf, UserError } from '../base/errors.js'
import { redactor, redactUrl, secretsOf } from '../base/redact.js'
import { isObject } from '../capture/trace-record.js'
import { WsTransport } from '../load/ws-transport.io.js'

import type { Profile } from '../profile/profile.js'
import { hasCapabilities } from './capabilities.js'

export interface ServerAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type Handshake =
  | { readonly kind: 'open' }
  | { readonly kind: 'refused'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly message: string }

const HANDSHAKE_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 2_000
const BUSY_RETRIES = 3
const BUSY_BACKOFF_MS = 500

/**
 * Checks that the address is one that a WebSocket can be opened to.
 * @throws UserError URL_INVALID
 */
export function checkUrl(url: string): void {
  const shown = redactUrl(url)
  if (!URL.canParse(url)) {
    throw new UserError({ code: 'URL_INVALID', message: `${shown} is no URL`, fix: 'give ws://HOST:PORT/v1/realtime' })
  }
  const { protocol, hash } = new URL(url)
  if (hash !== '') {
    throw new UserError({
      code: 'URL_INVALID',
      message: `${shown}: a WebSocket URL has no fragment (#…)`,
      fix: 'leave it out',
    })
  }
  if (protocol === 'ws:' || protocol === 'wss:') return
  const twin = protocol === 'http:' ? 'ws:' : protocol === 'https:' ? 'wss:' : undefined
  throw new UserError({
    code: 'URL_INVALID',
    message: `${shown} begins with ${protocol}//; a realtime session needs ws:// or wss://`,
    fix: twin === undefined ? 'give ws://HOST:PORT/v1/realtime' : `try ${redactUrl(url.replace(protocol, twin))}`,
  })
}

/** One handshake; the connection is closed at once. */
export function tryHandshake({ url, headers }: ServerAddress): Promise<Handshake> {
  return new Promise((resolve) => {
    const transport = new WsTransport({ url, headers, handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS })
    let closeTimer: NodeJS.Timeout | undefined
    const connection = transport.connect({
      onOpen: () => {
        connection.close(1000)
        // A server that does not answer the close has let us in all the same.
        closeTimer = setTimeout(() => connection.terminate(), CLOSE_TIMEOUT_MS)
      },
      onText: () => undefined,
      onBinary: () => undefined,
      onRefused: ({ status, body }) => resolve({ kind: 'refused', status, body }),
      onFailed: (message) => resolve({ kind: 'failed', message }),
      // Resolved only when the server has let go too, so that the next session finds the slot free.
      onClosed: () => {
        clearTimeout(closeTimer)
        resolve({ kind: 'open' })
      },
    })
  })
}

/**
 * @throws UserError SERVER_UNREACHABLE or SERVER_REFUSED, with what the server said
 */
export async function ensureReachable(address: ServerAddress): Promise<void> {
  const redact = redactor(secretsOf(address))
  const shown = redactUrl(address.url)
  let handshake = await tryHandshake(address)
  for (
    let attempt = 0;
    attempt < BUSY_RETRIES && handshake.kind === 'refused' && handshake.status === 503;
    attempt += 1
  ) {
    await new Promise((resolve) => setTimeout(resolve, BUSY_BACKOFF_MS))
    handshake = await tryHandshake(address)
  }
  if (handshake.kind === 'open') return
  if (handshake.kind === 'failed') {
    throw new UserError({
      code: 'SERVER_UNREACHABLE',
      message: `cannot reach ${shown}: ${redact(handshake.message)}`,
      fix: 'start the server, or correct --url',
    })
  }
  const { status, body } = handshake
  const said = body.trim() === '' ? '' : `: ${redact(body.replace(/\s+/g, ' ').trim().slice(0, 200))}`
  throw new UserError({
    code: 'SERVER_REFUSED',
    message: `${shown} refused the connection with HTTP ${status}${said}`,
    fix: REFUSAL_FIX[status] ?? (status >= 500 ? 'look at the log of the server' : 'correct --url or --header'),
  })
}

const REFUSAL_FIX: Record<number, string> = {
  401: 'pass the key with --header "Authorization: Bearer KEY"',
  403: 'pass a key that may open sessions with --header',
  404: 'correct the path of --url (servers of this kind use /v1/realtime)',
  503: 'the server is full or still starting: wait, or raise its session limit',
}

/** What the server says of itself; undefined where its protocol has no such document, or it does not answer with one. */
export async function capabilitiesOf(address: ServerAddress, profile: Profile): Promise<unknown> {
  if (!hasCapabilities(profile)) return undefined
  const answer = await fetchBeside(address, '/v1/realtime/capabilities')
  return 'error' in answer || answer.status !== 200 || !isObject(answer.body) ? undefined : answer.body
}

/** A JSON document of the server's HTTP side, beside its WebSocket; undefined where it has none. Never throws. */
export async function fetchBeside(
  address: ServerAddress,
  path: string,
): Promise<{ readonly status: number; readonly body: unknown } | { readonly error: string }> {
  const target = new URL(address.url)
  target.protocol = target.protocol === 'wss:' ? 'https:' : 'http:'
  target.pathname = path
  target.username = ''
  target.password = ''
  try {
    const response = await request(target, {
      headers: { ...basicAuthorization(new URL(address.url)), ...address.headers },
      headersTimeout: HANDSHAKE_TIMEOUT_MS,
      bodyTimeout: HANDSHAKE_TIMEOUT_MS,
    })
    const text = await response.body.text()
    let body: unknown = text.slice(0, 500)
    try {
      body = JSON.parse(text)
    } catch {
      // Not JSON: the text itself is what there is to see.
    }
    return { status: response.statusCode, body }
  } catch (thrown) {
    return { error: messageOf(thrown) }
  }
}

/** What a WebSocket client makes of user information in its URL. */
function basicAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}
