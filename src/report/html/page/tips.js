/** Definitions where their terms stand: shown on hover and on focus, closed with Escape. Without this script they are titles. */
import { element } from './page.js'

export function setUpTips() {
  const tip = element('div', { id: 'tip', role: 'tooltip' })
  tip.hidden = true
  document.body.append(tip)
  const hide = () => {
    tip.hidden = true
  }
  document.querySelectorAll('a.term').forEach((link) => {
    if (!(link instanceof HTMLElement)) return
    const definition = link.title
    link.removeAttribute('title')
    link.setAttribute('aria-description', definition)
    const show = () => {
      tip.textContent = definition
      tip.hidden = false
      const box = link.getBoundingClientRect()
      const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8))
      const isRoomBelow = box.bottom + tip.offsetHeight + 12 < innerHeight
      const top = isRoomBelow ? box.bottom + 6 : box.top - tip.offsetHeight - 6
      tip.style.left = `${left + scrollX}px`
      tip.style.top = `${top + scrollY}px`
    }
    link.addEventListener('mouseenter', show)
    link.addEventListener('focus', show)
    link.addEventListener('mouseleave', hide)
    link.addEventListener('blur', hide)
  })
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide()
  })
}
