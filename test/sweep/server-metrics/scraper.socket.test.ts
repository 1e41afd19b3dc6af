import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parseServerScrapes } from '../../../src/sweep/server-metrics/scrape-record.js'
import { createServerScraper } from '../../../src/sweep/server-metrics/scraper.io.js'
import { temporaryFolder } from '../../helpers/temp-folders.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** @param answer undefined never answers */
async function endpoint(
  answer: { status: number; body: string } | undefined,
): Promise<{ url: string; asked: Promise<void> }> {
  let onAsked = () => {}
  const asked = new Promise<void>((resolve) => {
    onAsked = resolve
  })
  const server = createServer((_, response) => {
    onAsked()
    if (answer !== undefined) response.writeHead(answer.status).end(answer.body)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`, asked }
}

async function scraped(urls: readonly string[], untilLines: number) {
  const folder = await temporaryFolder()
  const notes: string[] = []
  const scraper = createServerScraper({ urls, patterns: ['mine'], onNote: (text) => notes.push(text) })
  await scraper.begin(folder)
  const read = async () => parseServerScrapes(await readFile(join(folder, 'server-metrics.jsonl'), 'utf8'))
  while (((await read())?.scrapes.length ?? 0) < untilLines) await new Promise((resolve) => setImmediate(resolve))
  await scraper.end()
  return { found: await read(), notes }
}

describe('the scraper', () => {
  it('keeps the chosen series on the clock of the traces', async () => {
    const { url } = await endpoint({
      status: 200,
      body: '# TYPE mine counter\nmine{a="1"} 2\nother 3\nmine{a="2"} NaN\n',
    })
    const before = Number(process.hrtime.bigint()) / 1e9
    const { found, notes } = await scraped([url], 1)
    expect(found?.head.endpoints).toEqual([url])
    expect(found?.scrapes[0]).toMatchObject({ endpoint: 0, values: { 'mine{a="1"}': 2 }, counters: ['mine{a="1"}'] })
    expect(found?.scrapes[0]?.time_s).toBeGreaterThanOrEqual(Math.floor(before))
    expect(notes).toEqual([])
  })

  it('says once what is wrong with an endpoint, and goes on with the others', async () => {
    const good = await endpoint({ status: 200, body: 'mine 1\n' })
    const bad = await endpoint({ status: 500, body: 'no' })
    const { found, notes } = await scraped([good.url, bad.url, 'http://127.0.0.1:1/metrics'], 3)
    const errors = found?.scrapes.filter(({ error }) => error !== undefined).map(({ endpoint: index }) => index)
    expect(new Set(errors)).toEqual(new Set([1, 2]))
    expect(notes.filter((note) => note.includes('HTTP 500'))).toHaveLength(1)
  })

  it('does not wait for one that never answers', async () => {
    const silent = await endpoint(undefined)
    const folder = await temporaryFolder()
    const scraper = createServerScraper({ urls: [silent.url], patterns: [], onNote: () => {} })
    await scraper.begin(folder)
    await silent.asked
    await scraper.end()
    expect(parseServerScrapes(await readFile(join(folder, 'server-metrics.jsonl'), 'utf8'))?.scrapes).toEqual([])
  })

  it('writes nothing more once it has ended, since the level is judged then', async () => {
    let answer = () => {}
    let onAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve
    })
    const server = createServer((_, response) => {
      answer = () => response.end('mine 1\n')
      onAsked()
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const folder = await temporaryFolder()
    const scraper = createServerScraper({ urls: [url], patterns: ['mine'], onNote: () => {} })
    await scraper.begin(folder)
    await asked
    const ended = scraper.end()
    answer()
    await ended
    const text = await readFile(join(folder, 'server-metrics.jsonl'), 'utf8')
    expect(parseServerScrapes(text)?.scrapes).toEqual([])
  })

  it('says what a page lacks', async () => {
    const web = await endpoint({ status: 200, body: '<html>\n</html>\n' })
    const other = await endpoint({ status: 200, body: 'other 1\n' })
    const { notes } = await scraped([web.url, other.url], 2)
    expect(notes.sort()).toEqual(
      [
        `${web.url} gave no metrics: no Prometheus text; the sweep goes on without them`,
        `${other.url} has none of the chosen series; name some with --server-metric`,
      ].sort(),
    )
  })

  it('sends what the address says of its user, and writes none of it', async () => {
    const seen: (string | undefined)[] = []
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401).end()
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { found, notes } = await scraped([`http://ann:geh%65im@127.0.0.1:${port}/m?token=abcdef`], 1)
    expect(seen[0]).toBe(`Basic ${Buffer.from('ann:geheim').toString('base64')}`)
    expect(JSON.stringify({ found, notes })).not.toMatch(/geheim|geh%65im|abcdef/)
  })

  it('refuses an address that is none, without its secrets', () => {
    const make = () => createServerScraper({ urls: ['ftp://user:geheim@box/x'], patterns: [], onNote: () => {} })
    expect(make).toThrow(expect.objectContaining({ code: 'URL_INVALID' }))
    expect(make).not.toThrow(/geheim/)
  })
})
