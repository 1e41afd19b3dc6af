/**
 * `report.html`: the result as one self-contained page that opens from disk and asks the network for nothing. The verdict
 * stands first; every figure is in a table, so the page says what it has to say without its script, too. Same runs, same
 * bytes. Pure.
 */
import { createHash } from 'node:crypto'
import type { AnalysedRun } from '../../sweep/analyse-run.io.js'
import type { ServingResult } from '../../sweep/serving-result.js'
import { capacitySection, latencySection, playbackSection } from './chart-sections.js'
import { clientSection, failuresSection, qualitySection } from './evidence-sections.js'
import { glossary } from './glossary.js'
import { insideSection } from './inside-section.js'
import { type Content, embeddedJson, html, Markup } from './markup.js'
import { provenanceSection } from './provenance-section.js'
import { pageData, type ShownProfile, shownProfiles } from './report-data.js'
import { levelsSection, verdictBlock } from './verdict-section.js'

/** Ours and the chart library's, as text. */
export interface PageAssets {
  readonly script: string
  readonly style: string
}

/** @param options.runs those that the result was computed from; a level whose run is missing has figures and no curves */
export function htmlReport(options: {
  readonly result: ServingResult
  readonly runs: readonly AnalysedRun[]
  readonly assets: PageAssets
}): string {
  const { result, runs, assets } = options
  const profiles = shownProfiles(result, runs)
  const title = profiles.length === 1 ? `Serving capacity: ${profiles[0]?.result.profile}` : 'Serving capacity'
  return `${
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(assets)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="floorload ${result.tool.version}">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${new Markup(assets.style)}</style>
</head>
<body>
<a class="skip" href="#main">To the verdict</a>
<header>
<h1>${title}</h1>
<button type="button" id="theme" hidden>Theme: system</button>
</header>
${profiles.length === 1 ? navigation(profiles[0] as ShownProfile, 'p0') : null}
<main id="main">
${profiles.length === 0 ? html`<p>No level was measured.</p>` : null}
${result.gate === null ? null : html`<p class="gate ${result.gate.verdict}">Gate: <b>${result.gate.verdict}</b> (${result.gate.reason})</p>`}
${profiles.map((profile, index) => profileSection(profile, index, profiles.length > 1))}
${warnings(result.warnings)}
${glossary()}
</main>
<footer><p>Computed from the wire traces by floorload ${result.tool.version}, definitions ${result.definitions}. Links to traces work where this file lies beside the folders of its levels. Charts: uPlot (MIT licence).</p></footer>
<noscript><p class="note">The charts need JavaScript; the tables hold the figures.</p></noscript>
<script type="application/json" id="report-data">${embeddedJson(pageData(profiles))}</script>
<script>${new Markup(assets.script)}</script>
</body>
</html>`.text
  }\n`
}

function profileSection(profile: ShownProfile, index: number, isOneOfSeveral: boolean): Markup {
  const id = `p${index}`
  return html`<article class="profile" id="${id}" data-profile="${index}" aria-labelledby="${id}-title">
<h2 id="${id}-title"${isOneOfSeveral ? null : html` class="hidden"`}>${profile.result.profile}</h2>
${verdictBlock(profile)}
${isOneOfSeveral ? navigation(profile, id) : null}
${capacitySection(profile, id)}
${levelsSection(profile, id)}
${latencySection(profile, id)}
${playbackSection(profile, id)}
${insideSection(profile, id)}
${qualitySection(profile, id)}
${failuresSection(profile, id)}
${clientSection(profile, id)}
${provenanceSection(profile, id)}
</article>
`
}

function navigation({ levels }: ShownProfile, id: string): Markup {
  const hasQuality = levels.some(({ row }) => row.quality !== null)
  const entries = [
    ['capacity', 'Capacity'],
    ['levels', 'Levels'],
    ['latency', 'Latency'],
    ['playback', 'Playback'],
    ['inside', 'Inside a level'],
    ...(hasQuality ? [['quality', 'Quality']] : []),
    ['failures', 'Failures'],
    ['client', 'Client'],
    ['configuration', 'Configuration'],
  ]
  return html`<nav aria-label="Sections"><ul>${entries.map(([key, name]) => html`<li><a href="#${id}-${key}">${name}</a></li>`)}<li><a href="#definitions">Definitions</a></li></ul></nav>`
}

function warnings(texts: readonly string[]): Content {
  if (texts.length === 0) return null
  return html`<section id="warnings"><h2>Warnings</h2><ul>${texts.map((text) => html`<li>${text}</li>`)}</ul></section>`
}

/** Nothing may be loaded, and nothing may run but the script whose hash stands here. */
function policy({ script, style }: PageAssets): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`
  return [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}
