/**
 * Secrets stay out of every file and log: header values, URL user information and query values. What is known to be a
 * secret is replaced wherever it turns up in a text; a URL is rewritten so that only harmless parameters keep their value.
 */

const MASK = '***'

/** Query parameters that name what is asked for, never who asks. */
const HARMLESS_PARAMETERS = new Set(['model', 'duplex', 'autostart', 'intent', 'deployment', 'api-version'])

/** Shorter strings are not searched for in free text: replacing every "1" would garble what it should protect. */
const MIN_SECRET_LENGTH = 4

export type Redact = (text: string) => string

/** A URL without user information and with every query value masked that is not known to be harmless. */
export function redactUrl(url: string): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return url.replace(/\/\/[^/@]*@/, `//${MASK}@`).replace(/([?&][^=&#]+=)[^&#]*/g, `$1${MASK}`)
  }
  if (parsed.username !== '' || parsed.password !== '') {
    parsed.username = MASK
    parsed.password = ''
  }
  for (const name of [...new Set(parsed.searchParams.keys())]) {
    if (!HARMLESS_PARAMETERS.has(name)) parsed.searchParams.set(name, MASK)
  }
  parsed.hash = ''
  return parsed.href
}

/** Everything in a URL and in header values that must not be seen. */
export function secretsOf({ url, headers }: { url: string; headers: Readonly<Record<string, string>> }): string[] {
  const secrets = new Set<string>()
  for (const value of Object.values(headers)) {
    secrets.add(value)
    // "Bearer abc": the token alone is as secret as the whole value.
    for (const word of value.split(/\s+/).slice(1)) secrets.add(word)
  }
  if (URL.canParse(url)) {
    const parsed = new URL(url)
    for (const part of [parsed.username, parsed.password]) {
      if (part !== '') secrets.add(part).add(decodeURIComponent(part))
    }
    for (const [name, value] of parsed.searchParams) {
      if (!HARMLESS_PARAMETERS.has(name)) secrets.add(value).add(encodeURIComponent(value))
    }
  }
  return [...secrets].filter((secret) => secret.length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length)
}

/** In stored frames only what cannot be a word of the protocol is looked for. */
const MIN_SECRET_LENGTH_IN_EVENTS = 8

/**
 * Takes secrets out of a JSON text: out of its string values alone, so that it stays the JSON that it was. Without
 * secrets, or where none occurs, the text is returned as it is.
 */
export function jsonRedactor(secrets: readonly string[]): Redact {
  const long = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH_IN_EVENTS)
  if (long.length === 0) return (text) => text
  const redact = redactor(long)
  return (text) => {
    if (!long.some((secret) => text.includes(secret))) return text
    return JSON.stringify(JSON.parse(text), (_, value: unknown) => (typeof value === 'string' ? redact(value) : value))
  }
}

/** Replaces every known secret in a text. Without secrets it is the identity and costs nothing. */
export function redactor(secrets: readonly string[]): Redact {
  if (secrets.length === 0) return (text) => text
  return (text) => {
    let result = text
    for (const secret of secrets) if (result.includes(secret)) result = result.replaceAll(secret, MASK)
    return result
  }
}
