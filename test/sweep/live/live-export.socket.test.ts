import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { pushOtlp, servePrometheus } from '../../../src/sweep/live/live-export.io.js'
import type { LiveFigure } from '../../../src/sweep/live/live-figures.js'
import { otlpTarget } from '../../../src/sweep/live/live-targets.js'

const FIGURES: readonly LiveFigure[] = [{ name: 'floorload_x', help: 'X.', unit: '1', labels: { a: 'b' }, value: 3 }]

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

it('shows a page to Prometheus until it is closed', async () => {
  const port = await freePort()
  const page = await servePrometheus({ host: '127.0.0.1', port }, () => FIGURES)
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(answer.headers.get('content-type')).toContain('text/plain')
  expect(await answer.text()).toContain('floorload_x{a="b"} 3')
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  await expect(servePrometheus({ host: '127.0.0.1', port }, () => FIGURES)).rejects.toMatchObject({
    code: 'PORT_IN_USE',
  })
  await page.close()
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow()
})

it('pushes the last figures when it is closed', async () => {
  const bodies: { path: string | undefined; key: unknown; body: string }[] = []
  const collector = createServer((request: IncomingMessage, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      bodies.push({ path: request.url, key: request.headers['x-key'], body: Buffer.concat(parts).toString() })
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const notes: string[] = []
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const target = otlpTarget(url, 'x-key=k')
  const push = pushOtlp({ target, figures: () => FIGURES, onNote: (text) => notes.push(text) })
  await push.close()
  collector.close()
  expect(notes).toEqual([])
  expect(bodies).toMatchObject([{ path: '/v1/metrics', key: 'k' }])
  expect(JSON.parse(bodies[0]?.body ?? '')).toMatchObject({
    resourceMetrics: [
      { scopeMetrics: [{ metrics: [{ name: 'floorload.x', gauge: { dataPoints: [{ asDouble: 3 }] } }] }] },
    ],
  })
})

it('a collector that is not there is said once and throws nothing', async () => {
  const notes: string[] = []
  const push = pushOtlp({
    target: otlpTarget(`http://127.0.0.1:${await freePort()}`, undefined),
    figures: () => FIGURES,
    onNote: (text) => notes.push(text),
  })
  await push.close()
  expect(notes).toHaveLength(1)
})
