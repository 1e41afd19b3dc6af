/**
 * HTML from templates, safe by construction: whatever is put into a template is escaped, unless it came out of one. Texts
 * of servers end up in the report, so nothing else may build markup. Pure.
 */

export class Markup {
  readonly text: string
  /** @param text is taken as it is; only `html` and what embeds our own assets may call this */
  constructor(text: string) {
    this.text = text
  }
}

export type Content = string | number | Markup | null | undefined | false | readonly Content[]

/** Values are escaped; lists are joined; null, undefined and false are nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(strings.map((text, index) => text + rendered(index < values.length ? values[index] : '')).join(''))
}

/** JSON for a script element of data: nothing in it can end the element or begin another. */
export function embeddedJson(value: unknown): Markup {
  const text = JSON.stringify(value)
  return new Markup(
    text.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function rendered(content: Content): string {
  if (content === null || content === undefined || content === false) return ''
  if (content instanceof Markup) return content.text
  if (typeof content === 'object') return content.map(rendered).join('')
  return escaped(String(content))
}
