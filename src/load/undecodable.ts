/** What is said of a message that is no event. Pure. */
import type { SessionOutcome } from './session-ports.js'

const EXCERPT_LENGTH = 120

/** The beginning of a text, on one line. */
export function excerptOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, EXCERPT_LENGTH)
}

export function undecodable(what: string): SessionOutcome {
  return { kind: 'undecodable', message: `the server sent ${what}` }
}

export function noJsonObject(text: string): SessionOutcome {
  return undecodable(`a frame that is no JSON object: ${excerptOf(text)}`)
}
