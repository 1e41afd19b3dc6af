/**
 * The comparison as one self-contained page in the look of `report.html`: the verdict, then each level with its figures and
 * their intervals drawn. All of it stands without a script. Same comparison, same bytes. Pure.
 */
import { createHash } from 'node:crypto'
import type { Comparison, ComparisonVerdict } from '../../sweep/comparison/comparison-result.js'
import {
  capacitySection,
  comparabilitySection,
  methodSection,
  type NamedLevel,
  provenanceSection,
  unmatchedSection,
} from './comparison-background.js'
import { levelSection, list, SIGNS } from './comparison-level.js'
import { INTERVAL_STYLE } from './interval-plot.js'
import { html, Markup } from './markup.js'

/** The border's colour, by the classes of the report's own verdict. */
const TONES: Readonly<Record<ComparisonVerdict, string>> = {
  worse: ' none',
  better: '',
  'no difference shown': ' undecided',
  'not comparable': ' undecided',
}

/**
 * @param style that of the report's page
 * @param script the choice of light or dark; without it nothing may run, and the system decides
 */
export function comparisonHtml(comparison: Comparison, style: string, script = ''): string {
  const { tool, definitions, verdict } = comparison
  const css = `${style}\n${INTERVAL_STYLE}${COMPARISON_STYLE}`
  const [first = '', ...rest] = comparison.summary
  const levels = namedLevels(comparison)
  return `${
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(css, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="floorload ${tool.version}">
<link rel="icon" href="data:,">
<title>Comparison: ${comparison.old.name} and ${comparison.new.name}</title>
<style>${new Markup(css)}</style>
</head>
<body>
<a class="skip" href="#main">To the verdict</a>
<header>
<h1>Comparison: ${comparison.old.name} → ${comparison.new.name}</h1>
${script === '' ? null : html`<button type="button" id="theme" hidden>Theme: system</button>`}
</header>
${navigation(comparison, levels)}
<main id="main">
<div class="verdict${TONES[verdict]}">
<p class="figure" aria-hidden="true"><span class="big">${SIGNS[verdict]}</span><span class="what">${verdict}</span></p>
<div><p class="first">${first}</p>
${list(rest)}</div>
</div>
${comparabilitySection(comparison, levels)}
${capacitySection(comparison)}
${levels.map(({ level, id, name }) => levelSection(level, id, name))}
${unmatchedSection(comparison)}
${methodSection(comparison)}
${provenanceSection(comparison)}
</main>
<footer><p>Computed from the wire traces by floorload ${tool.version}, definitions ${definitions}.</p></footer>
${script === '' ? null : html`<script>${new Markup(script)}</script>`}
</body>
</html>`.text
  }\n`
}

/** Words in a cell do not break into single letters where the table is wider than the screen, and scrolls. */
const COMPARISON_STYLE = `tbody th.text { min-width: 6.5rem; }
td.text { min-width: 5rem; }
td.text:last-child { min-width: 14rem; }
th code { overflow-wrap: normal; }
@media (max-width: 40rem) { tbody th.text { max-width: 9rem; overflow-wrap: anywhere; } }
`

function namedLevels({ levels }: Comparison): NamedLevel[] {
  const isMixed = new Set(levels.map(({ profile }) => profile)).size > 1
  return levels.map((level, index) => ({
    level,
    id: `level-${index}`,
    name: `Level ${level.concurrency}${isMixed ? ` of ${level.profile}` : ''}`,
  }))
}

function navigation({ capacity, unmatched }: Comparison, levels: readonly NamedLevel[]): Markup {
  const entries: [id: string, name: string][] = [
    ['comparability', 'Warnings'],
    ...(capacity.length > 0 ? [['capacity', 'Capacity'] as [string, string]] : []),
    ...levels.map(({ id, name }): [string, string] => [id, name]),
    ...(unmatched.length > 0 ? [['unmatched', 'Levels of one side'] as [string, string]] : []),
    ['method', 'How to read it'],
    ['sides', 'What was compared'],
  ]
  return html`<nav aria-label="Sections"><ul>${entries.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>`
}

/** Nothing may be loaded, and nothing may run but the script whose hash stands here. */
function policy(css: string, script: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`
  return [
    "default-src 'none'",
    ...(script === '' ? [] : [`script-src ${hash(script)}`]),
    `style-src ${hash(css)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}
