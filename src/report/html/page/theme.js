/** Light or dark as the system says, unless the reader chooses; the choice is kept where the browser lets a file keep it. */

const THEMES = ['system', 'light', 'dark']
const THEME_KEY = 'floorload-theme'

/** @param {() => void} onChange called when colours have changed */
export function setUpTheme(onChange) {
  const button = document.getElementById('theme')
  let theme = storedTheme()
  const apply = () => {
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    if (button !== null) button.textContent = `Theme: ${theme}`
  }
  apply()
  if (button !== null) {
    button.hidden = false
    button.addEventListener('click', () => {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
      storeTheme(theme)
      apply()
      onChange()
    })
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onChange)
  // Paper is white: charts are drawn anew in its colours, and again for the screen.
  addEventListener('beforeprint', () => {
    document.documentElement.dataset.theme = 'light'
    onChange()
  })
  addEventListener('afterprint', () => {
    apply()
    onChange()
  })
}

function storedTheme() {
  try {
    const stored = localStorage.getItem(THEME_KEY) ?? ''
    return THEMES.includes(stored) ? stored : 'system'
  } catch {
    return 'system'
  }
}

/** @param {string} theme */
function storeTheme(theme) {
  try {
    localStorage.setItem(THEME_KEY, theme)
  } catch {
    // A browser that keeps nothing for files: the choice lasts as long as the page.
  }
}
