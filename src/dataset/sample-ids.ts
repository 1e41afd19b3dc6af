/** Samples named by the user, `SUBSET/ID`: in a list, or in a file with one on each line. */
import { CLIP_ID } from './input-clip.js'
import type { NamedSample } from './sample-selection.js'

export interface NamedSamples {
  readonly samples: readonly NamedSample[]
  /** What is no `SUBSET/ID`, each as a sentence with its place. */
  readonly problems: readonly string[]
}

/** @param ids each `SUBSET/ID` */
export function namedSamples(ids: readonly string[]): NamedSamples {
  return parsed(ids.map((text) => ({ text: text.trim(), at: 'ids' })))
}

/**
 * One `SUBSET/ID` on each line; blank lines and what follows a `#` are ignored.
 * @param file as the user gave it, for messages
 */
export function namedSamplesOfFile(text: string, file: string): NamedSamples {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const places = lines.map((line, index) => ({
    text: line.replace(/#.*$/, '').trim(),
    at: `${file}, line ${index + 1}`,
  }))
  return parsed(places.filter((place) => place.text !== ''))
}

function parsed(places: readonly { readonly text: string; readonly at: string }[]): NamedSamples {
  const samples: NamedSample[] = []
  const problems: string[] = []
  for (const { text, at } of places) {
    const [subset = '', id = '', ...rest] = text.split('/')
    if (rest.length > 0 || !CLIP_ID.test(subset) || !CLIP_ID.test(id)) {
      problems.push(`${at}: ${JSON.stringify(text.slice(0, 80))} is no SUBSET/ID`)
    } else samples.push({ subset, id, at })
  }
  return { samples, problems }
}
