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

/** Everything in a URL and in header values that must not be seen, in every form in which it may turn up. */
export function secretsOf({ url, headers }: { url: string; headers: Readonly<Record<string, string>> }): string[] {
  const secrets = new Set<string>()
  for (const value of Object.values(headers)) {
    secrets.add(value)
    // "Bearer abc": the token alone is as secret as the whole value.
    for (const word of value.split(/\s+/).slice(1)) secrets.add(word)
  }
  for (const part of secretPartsOf(url)) {
    secrets.add(part)
    const decoded = decodedPart(part)
    secrets.add(decoded).add(encodeURIComponent(decoded))
  }
  for (const credentials of basicCredentialsOf(url)) secrets.add(credentials)
  return [...secrets].filter((secret) => secret.length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length)
}

/** What becomes of user information on the wire: the header of basic authentication. */
function basicCredentialsOf(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { username, password } = new URL(url)
  if (username === '' && password === '') return []
  const both = `${decodedPart(username)}:${decodedPart(password)}`
  return [both, Buffer.from(both).toString('base64')]
}

/** User name, password and the values of parameters that are not known to be harmless, as they are written in the URL. */
function secretPartsOf(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { username, password, search } = new URL(url)
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)] as const)
    .filter(([name]) => !HARMLESS_PARAMETERS.has(name))
    .map(([, value]) => value)
  return [username, password, ...values].filter((part) => part !== '')
}

/** Percent signs and plus signs undone, where they are well-formed. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/** In stored frames only what cannot be a word of the protocol is looked for. */
const MIN_SECRET_LENGTH_IN_EVENTS = 8

const STRING_LITERAL = /"(?:[^"\\]|\\.)*"/g

/**
 * Takes secrets out of a JSON text: out of its string literals alone, so that everything else, the spelling of numbers
 * included, stays as it was. Without secrets, or where none occurs, the text is returned as it is.
 */
export function jsonRedactor(secrets: readonly string[]): Redact {
  const long = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH_IN_EVENTS)
  if (long.length === 0) return (text) => text
  const redact = redactor(long)
  const spellings = [...new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
  return (text) => {
    if (!spellings.some((spelling) => text.includes(spelling))) return text
    return text.replace(STRING_LITERAL, (literal) => {
      const value = stringOf(literal)
      const clean = value === undefined ? undefined : redact(value)
      return clean === undefined || clean === value ? literal : JSON.stringify(clean)
    })
  }
}

function stringOf(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string
  } catch {
    return undefined
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
