/**
 * Reads the answer to an upgrade, cut anywhere: a head, and where the server refuses, the beginning of its body. Strict where
 * a wrong answer would be taken for a right one, and short: whatever is no HTTP/1 is a failed connection. Failures carry the
 * words of Node's own HTTP parser, so that one server fails in the same words with either transport.
 */
import { RefusalBody } from './refusal-body.js'

export type ResponseProgress =
  | { readonly kind: 'incomplete' }
  /** Frames begin at `restAt` of the bytes just read. */
  | { readonly kind: 'switched'; readonly headers: ReadonlyMap<string, string>; readonly restAt: number }
  | { readonly kind: 'refused'; readonly status: number; readonly body: string }
  | { readonly kind: 'malformed'; readonly message: string }

/** As Node's own parser. */
const MAX_HEAD_BYTES = 16 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')
const INCOMPLETE: ResponseProgress = { kind: 'incomplete' }

const PARSE_ERRORS = {
  noHttp: 'HPE_INVALID_CONSTANT: Parse Error: Expected HTTP/, RTSP/ or ICE/',
  status: 'HPE_INVALID_STATUS: Parse Error: Invalid status code',
  header: 'HPE_INVALID_HEADER_TOKEN: Parse Error: Invalid header token',
  overflow: 'HPE_HEADER_OVERFLOW: Parse Error: Header overflow',
  length: 'HPE_INVALID_CONTENT_LENGTH: Parse Error: Invalid character in Content-Length',
  twoLengths: "HPE_INVALID_TRANSFER_ENCODING: Parse Error: Transfer-Encoding can't be present with Content-Length",
} as const

export class UpgradeResponse {
  #head = Buffer.alloc(0)
  #status = 0
  #body: RefusalBody | undefined

  /** The refusal as far as it has come, for when no more of it will; undefined before its head was complete. */
  get refusal(): { readonly status: number; readonly body: string } | undefined {
    return this.#body === undefined ? undefined : { status: this.#status, body: this.#body.text }
  }

  /** Reads `bytes[from, to)`; keeps no reference to `bytes`. */
  read(bytes: Buffer, from: number, to: number): ResponseProgress {
    let at = from
    for (;;) {
      if (this.#body !== undefined) return this.#readBody(this.#body, bytes, at, to)
      const heldBytes = this.#head.length
      this.#head = Buffer.concat([this.#head, bytes.subarray(at, to)])
      const end = this.#head.indexOf(HEAD_END, Math.max(0, heldBytes - HEAD_END.length + 1))
      if ((end < 0 ? this.#head.length : end) > MAX_HEAD_BYTES) return malformed('overflow')
      const problem = end < 0 ? openingProblem(this.#head) : undefined
      if (problem !== undefined) return malformed(problem)
      if (end < 0) return INCOMPLETE
      at += end + HEAD_END.length - heldBytes
      const head = parseHead(this.#head.toString('latin1', 0, end))
      this.#head = Buffer.alloc(0)
      if ('problem' in head) return malformed(head.problem)
      if (isSwitch(head)) return { kind: 'switched', headers: head.headers, restAt: at }
      // Any other 1xx only announces the answer; it has no body.
      if (head.status >= 100 && head.status < 200 && head.status !== 101) continue
      const length = bodyLengthOf(head)
      if (typeof length === 'object') return malformed(length.problem)
      this.#status = head.status
      this.#body = new RefusalBody(length)
    }
  }

  #readBody(body: RefusalBody, bytes: Buffer, from: number, to: number): ResponseProgress {
    if (!body.read(bytes, from, to)) return INCOMPLETE
    return { kind: 'refused', status: this.#status, body: body.text }
  }
}

interface Head {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
}

function malformed(problem: keyof typeof PARSE_ERRORS): ResponseProgress {
  return { kind: 'malformed', message: PARSE_ERRORS[problem] }
}

/** Something that does not even begin as HTTP does not have to be waited for. */
function openingProblem(head: Buffer): 'noHttp' | undefined {
  const opening = head.toString('latin1', 0, 5)
  return 'HTTP/'.startsWith(opening) ? undefined : 'noHttp'
}

function parseHead(text: string): Head | { readonly problem: 'noHttp' | 'status' | 'header' } {
  const [statusLine = '', ...lines] = text.split('\r\n')
  if (!/^HTTP\/\d\.\d /.test(statusLine)) return { problem: 'noHttp' }
  const status = /^HTTP\/\d\.\d (\d{3})(?: |$)/.exec(statusLine)?.[1]
  if (status === undefined) return { problem: 'status' }
  const headers = new Map<string, string>()
  for (const line of lines) {
    const match = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/.exec(line)
    if (match === null) return { problem: 'header' }
    const name = (match[1] as string).toLowerCase()
    const before = headers.get(name)
    headers.set(name, before === undefined ? (match[2] as string) : `${before}, ${match[2]}`)
  }
  return { status: Number(status), headers }
}

/** A 101 without these is an answer like any other, and so a refusal. */
function isSwitch({ status, headers }: Head): boolean {
  const connection = headers.get('connection')?.toLowerCase() ?? ''
  return status === 101 && headers.has('upgrade') && connection.split(/\s*,\s*/).includes('upgrade')
}

function bodyLengthOf({
  status,
  headers,
}: Head): number | 'chunked' | 'until-end' | { problem: keyof typeof PARSE_ERRORS } {
  const length = headers.get('content-length')
  const coding = headers.get('transfer-encoding')
  if (length !== undefined && coding !== undefined) return { problem: 'twoLengths' }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return { problem: 'length' }
  if (status < 200 || status === 204 || status === 304) return 0
  if (coding !== undefined) return /(?:^|,)\s*chunked$/i.test(coding) ? 'chunked' : 'until-end'
  return length === undefined ? 'until-end' : Number(length)
}
