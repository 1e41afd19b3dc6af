/** The page's script and style, ours and uPlot's, read once from the installed package. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PageAssets } from './html-report.js'

/** Each after those that it imports; shipped as they stand in `src`. */
const SCRIPTS = [
  'page.js',
  'theme.js',
  'tips.js',
  'plot.js',
  'curves.js',
  'against-load.js',
  'level-time.js',
  'session-view.js',
  'start.js',
]
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'src', 'report', 'html', 'page')

let assets: PageAssets | undefined

/** @throws Error when the installation is not whole, which is a defect of ours */
export function pageAssets(): PageAssets {
  assets ??= readAssets()
  return assets
}

/** Nothing but the choice of light or dark, for a page without charts. */
export function themeScript(): string {
  const own = withoutModules(readFileSync(join(FOLDER, 'theme.js'), 'utf8'))
  return `(() => {\n'use strict'\n${own}setUpTheme(() => {})\n})()\n`
}

function readAssets(): PageAssets {
  const library = join(dirname(createRequire(import.meta.url).resolve('uplot/package.json')), 'dist')
  const own = SCRIPTS.map((name) => withoutModules(readFileSync(join(FOLDER, name), 'utf8'))).join('')
  return {
    script: `${readFileSync(join(library, 'uPlot.iife.min.js'), 'utf8')}\n(() => {\n'use strict'\n${own}})()\n`,
    style: `${readFileSync(join(library, 'uPlot.min.css'), 'utf8')}\n${readFileSync(join(FOLDER, 'page.css'), 'utf8')}`,
  }
}

/** Modules as parts of one script: an embedded module cannot import another. */
function withoutModules(source: string): string {
  return source.replace(/^import [^;]*? from '\.\/[\w-]+\.js'\n/gm, '').replace(/^export (?=function |const )/gm, '')
}
