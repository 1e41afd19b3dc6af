/** An http(s) address as a request needs it: user information becomes the header that it stands for. Pure. */
import { UserError } from '../base/errors.js'
import { redactUrl } from '../base/redact.js'

export interface HttpTarget {
  /** Without user information. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * @param flag that gave the address, for the message
 * @throws UserError URL_INVALID
 */
export function httpTarget(url: string, { flag, example }: { flag: string; example: string }): HttpTarget {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    throw new UserError({
      code: 'URL_INVALID',
      message: `${flag} ${redactUrl(url)} is no http:// or https:// address`,
      fix: `such as ${example}`,
    })
  }
  const { username, password } = parsed
  parsed.username = ''
  parsed.password = ''
  parsed.hash = ''
  if (username === '' && password === '') return { url: parsed.href, headers: {} }
  const credentials = `${decoded(username)}:${decoded(password)}`
  return { url: parsed.href, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
