/**
 * The page's script is written as modules and embedded as one: page-assets.io.ts joins them and leaves out their imports and
 * exports, so a name at the top of one file must not stand at the top of another. This one holds what all share: the data,
 * words and numbers for people, and elements made without markup (texts of servers pass through here).
 */

/** @import { PageData } from '../page-data.js' */

/** @type {PageData} */
export const PAGE = JSON.parse(document.getElementById('report-data')?.textContent ?? '{"grid":[],"profiles":[]}')

/**
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {readonly (Node | string)[]} [children]
 */
export function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** @param {Element} parent @param {string} selector @returns {HTMLElement} */
export function within(parent, selector) {
  const found = parent.querySelector(selector)
  if (!(found instanceof HTMLElement)) throw new Error(`the page has no ${selector}`)
  return found
}

/** @param {number} ms */
export function msText(ms) {
  return `${numberText(ms)} ms`
}

/** Three figures, and no more digits than that. @param {number} value */
export function numberText(value) {
  const size = Math.abs(value)
  return size >= 100 || value === 0 ? String(Math.round(value)) : value.toFixed(size >= 10 ? 1 : 2)
}

/** What stands at an axis: no digit that says nothing. @param {number} value */
export function tickText(value) {
  return String(Number(value.toPrecision(4)))
}

/** @param {number} share 0 to 1 */
export function percentText(share) {
  const value = share * 100
  if (value === 0) return '0%'
  return `${value >= 10 ? value.toFixed(1) : value >= 0.1 ? value.toFixed(2) : value.toPrecision(2)}%`
}

/** @param {number} place log10(1 / (1 - q)) */
export function percentileText(place) {
  const percent = 100 * (1 - 10 ** -place)
  return `${Number(percent.toFixed(place > 3 ? 3 : place > 2 ? 2 : 1))}%`
}
