/** Puts every chart into its place, and ties levels, buffers and choices to them. */
import { capacityChart, qualityCharts, serverCharts } from './against-load.js'
import { percentileChart, playedShare, playsChart, playsEndMs } from './curves.js'
import { clientOverTime, lagOverTime } from './level-time.js'
import { element, PAGE, within } from './page.js'
import { drawAll } from './plot.js'
import { sessionView } from './session-view.js'
import { setUpTheme } from './theme.js'
import { setUpTips } from './tips.js'

/** @import { Curve, LevelData, ProfileData } from '../page-data.js' */
/** @import { Mounted } from './plot.js' */

/** @param {HTMLElement} article @param {ProfileData} profile */
function setUpProfile(article, profile) {
  /** @param {string} chart @param {(figure: HTMLElement) => void} set */
  const forChart = (chart, set) => {
    const figure = article.querySelector(`[data-chart="${chart}"]`)
    if (figure instanceof HTMLElement) set(figure)
  }
  const isChecked = (/** @type {HTMLElement} */ figure) => {
    const box = figure.querySelector('input[type="checkbox"]')
    return box instanceof HTMLInputElement && box.checked
  }
  forChart('capacity', (figure) => capacityChart(figure, profile))
  forChart('quality', (figure) => qualityCharts(figure, profile))
  forChart('server', (figure) => serverCharts(figure, profile))
  forChart('lag', (figure) => {
    const chosen = () => /** @type {'all' | 'speak' | 'listen'} */ (checkedValue(figure) ?? 'all')
    const chart = percentileChart(figure, profile, {
      curveOf: ({ lag }) => lag?.[chosen()],
      limitMs: profile.unitMs,
      isLog: () => isChecked(figure),
    })
    figure.addEventListener('change', () => chart.draw())
  })
  for (const [name, curveOf] of /** @type {[string, (level: LevelData) => Curve | null][]} */ ([
    ['first-audio', (level) => level.firstAudio],
    ['buffer', (level) => level.buffer],
  ])) {
    forChart(name, (figure) => {
      const chart = percentileChart(figure, profile, { curveOf, isLog: () => isChecked(figure) })
      figure.addEventListener('change', () => chart.draw())
    })
  }
  forChart('plays', (figure) => setUpBuffer(figure, profile))
  setUpLevels(article, profile, forChart)
}

/** @param {HTMLElement} figure @param {ProfileData} profile */
function setUpBuffer(figure, profile) {
  const slider = figure.querySelector('input[type="range"]')
  const output = figure.querySelector('output')
  if (!(slider instanceof HTMLInputElement) || output === null) return
  slider.max = String(playsEndMs(profile))
  const bufferMs = () => Number(slider.value)
  const chart = playsChart(figure, profile, bufferMs)
  const table = within(figure, '.plays-table')
  const say = () => {
    output.textContent = `${bufferMs()} ms`
    table.replaceChildren(
      ...profile.levels.flatMap((level) => {
        if (level.plays === null) return []
        const share = playedShare(level, bufferMs())
        return [
          element('div', { class: 'play' }, [
            element('span', { class: 'of' }, [`level ${level.label}`]),
            element('b', {}, [`${(100 * share).toFixed(1)}%`]),
            element('span', { class: 'of' }, [`${Math.round(share * level.plays.n)}/${level.plays.n} replies`]),
          ]),
        ]
      }),
    )
  }
  say()
  slider.addEventListener('input', () => {
    say()
    chart.plot()?.redraw(false)
  })
}

/** @param {HTMLElement} article @param {ProfileData} profile @param {(chart: string, set: (figure: HTMLElement) => void) => void} forChart */
function setUpLevels(article, profile, forChart) {
  const choice = article.querySelector('fieldset.levels')
  if (!(choice instanceof HTMLElement)) return
  const index = () => Number(checkedValue(choice) ?? profile.first)
  const levelNow = () => profile.levels[index()]
  /** @type {Mounted[]} */
  const charts = []
  forChart('time', (figure) => charts.push(lagOverTime(figure, profile, levelNow)))
  forChart('client', (figure) => charts.push(clientOverTime(figure, levelNow)))
  forChart('session', (figure) => charts.push(sessionView(figure, profile, levelNow)))
  const showDetails = () => {
    article.querySelectorAll('.of-level').forEach((part) => {
      if (part instanceof HTMLElement) part.hidden = part.dataset.level !== String(index())
    })
  }
  showDetails()
  choice.addEventListener('change', () => {
    showDetails()
    for (const { draw } of charts) draw()
  })
}

/** @param {HTMLElement} parent */
function checkedValue(parent) {
  const checked = parent.querySelector('input[type="radio"]:checked')
  return checked instanceof HTMLInputElement ? checked.value : undefined
}

setUpTheme(drawAll)
setUpTips()
document.querySelectorAll('article.profile').forEach((article) => {
  if (!(article instanceof HTMLElement)) return
  const profile = PAGE.profiles[Number(article.dataset.profile)]
  if (profile !== undefined) setUpProfile(article, profile)
})
