/**
 * `CHROMIUM=/usr/bin/chromium npm run report:check -- [REPORT.HTML ...] [--screenshots DIR]`: opens reports in a real
 * browser at desktop and phone width, light and dark, uses them with mouse and keyboard, and fails on a console message, a
 * request, text over text, a chart without a picture or a page wider than the screen.
 */
import { mkdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const VIEWS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
  { width: 360, height: 740 },
]

const words = process.argv.slice(2)
const at = words.indexOf('--screenshots')
const [, screenshots] = at < 0 ? [] : words.splice(at, 2)
const reports = words.length > 0 ? words : ['reports/demo-report.html']
const { CHROMIUM } = process.env
if (CHROMIUM === undefined) {
  process.stderr.write('set CHROMIUM to the path of a Chromium, such as /usr/bin/chromium\n')
  process.exit(2)
}
if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true })

const problems = []
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
for (const report of reports) {
  for (const viewport of VIEWS) {
    for (const colorScheme of ['light', 'dark']) await check(report, viewport, colorScheme)
  }
}
await browser.close()
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(`${reports.length} reports, ${problems.length} problems\n`)
process.exit(problems.length > 0 ? 1 : 0)

async function check(report, viewport, colorScheme) {
  const name = `${basename(report, '.html')}-${viewport.width}-${colorScheme}`
  const url = pathToFileURL(resolve(report)).href
  const fail = (text) => problems.push(`${name}: ${text}`)
  const page = await browser.newPage({ viewport, colorScheme })
  page.on('console', (message) => fail(`console: ${message.text()}`))
  page.on('pageerror', (error) => fail(`error: ${error.message}`))
  page.on('request', (request) => {
    if (request.url() !== url && !request.url().startsWith('data:')) fail(`request: ${request.url()}`)
  })
  await page.goto(url)
  await page.waitForTimeout(300)
  if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
  for (const text of await page.evaluate(layoutProblems)) fail(text)
  await use(page, fail)
  for (const text of await page.evaluate(layoutProblems)) fail(`after use: ${text}`)
  await page.close()
}

/** Every control once. */
async function use(page, fail) {
  for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click()
  for (const level of await page.locator('fieldset.levels input').all()) await level.check()
  for (const box of await page.locator('input[type="checkbox"]').all()) await box.check()
  for (const unit of await page.locator('input[value="speak"]').all()) await unit.check()
  for (const slider of await page.locator('input[type="range"]').all()) {
    await slider.fill('200')
    const said = await slider.locator('xpath=..').locator('output').textContent()
    if (said !== '200 ms') fail(`the slider says ${said}`)
  }
  for (const figure of await page.locator('figure.chart').all()) {
    const plot = figure.locator('.plot[tabindex]').first()
    if ((await plot.count()) === 0 || (await plot.locator('canvas').count()) === 0) continue
    await plot.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    const readout = await figure.locator('.readout').first().textContent()
    if (readout === '') fail(`arrow keys say nothing in ${await figure.getAttribute('data-chart')}`)
    const box = await plot.boundingBox()
    if (box !== null) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  }
  for (const zoom of ['in', 'right', 'left', 'out', 'all']) {
    for (const button of await page.locator(`[data-zoom="${zoom}"]`).all()) await button.click()
  }
  for (const button of await page.locator('.legend button').all()) {
    const before = await button.getAttribute('aria-pressed')
    await button.click()
    if ((await button.getAttribute('aria-pressed')) === before) fail('a legend button does nothing')
    await button.click()
  }
  // Away from every term: the page scrolls below the mouse.
  await page.mouse.move(0, 0)
  const term = page.locator('a.term').first()
  await term.focus()
  if (!(await page.locator('#tip').isVisible())) fail('a term in focus shows no definition')
  await page.keyboard.press('Escape')
  if (await page.locator('#tip').isVisible()) fail('Escape does not close a definition')
  const seen = []
  for (let press = 0; press < 3; press += 1) {
    await page.locator('#theme').click()
    seen.push(await page.evaluate(() => document.documentElement.dataset.theme ?? 'system'))
  }
  if (seen.join() !== 'light,dark,system') fail(`themes are ${seen.join()}`)
  await page.evaluate(() => scrollTo(0, 0))
  await page.waitForTimeout(100)
}

/** Runs in the page. */
function layoutProblems() {
  const found = []
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide on a screen of ${clientWidth}`)
  for (const canvas of document.querySelectorAll('canvas')) {
    const { width, height } = canvas
    const pixels = width * height === 0 ? [] : canvas.getContext('2d').getImageData(0, 0, width, height).data
    if (!pixels.some((value) => value !== 0)) found.push('a chart has no picture')
  }
  // Text over text: places of all text, line by line; what scrolls inside itself or floats on purpose is left out.
  const places = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement
    if (
      node.data.trim() === '' ||
      parent.closest('nav, .hidden, #tip, .u-over, pre') !== null ||
      !parent.checkVisibility()
    )
      continue
    const isSticky = parent.closest('th:first-child') !== null
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const { left, right, top, bottom } of range.getClientRects()) {
      if (!isSticky) places.push({ left, right, top: top + 3, bottom: bottom - 3, text: node.data.trim().slice(0, 40) })
    }
  }
  places.sort((a, b) => a.top - b.top)
  places.forEach((place, index) => {
    for (const other of places.slice(index + 1)) {
      if (other.top >= place.bottom) break
      const isOver = other.left < place.right - 2 && place.left < other.right - 2
      if (isOver && found.length < 5) found.push(`"${place.text}" lies over "${other.text}"`)
    }
  })
  return found
}
