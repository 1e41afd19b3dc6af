/** Playout against a listener who is played one millisecond after the other. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Playout } from '../../src/protocol/openai-realtime/playout.js'

const MS = 1000

interface Arrival {
  readonly waitMs: number
  readonly durationMs: number
  readonly item: number
}

/** One entry for each millisecond that is played: which item, and when it has been heard. */
function heardMs(arrivals: readonly Arrival[]): { readonly item: number; readonly endMs: number }[] {
  const played: { item: number; endMs: number }[] = []
  let nowMs = 0
  let freeMs = 0
  for (const { waitMs, durationMs, item } of arrivals) {
    nowMs += waitMs
    freeMs = Math.max(freeMs, nowMs)
    for (let ms = 0; ms < durationMs; ms += 1) {
      freeMs += 1
      played.push({ item, endMs: freeMs })
    }
  }
  return played
}

const arrivals = fc.array(
  fc.record({ waitMs: fc.nat(120), durationMs: fc.integer({ min: 1, max: 200 }), item: fc.nat(3) }),
  { minLength: 1, maxLength: 20 },
)

/** The number of each item is that of the one before or the next: on the wire no item comes back after another. */
const inOrder = arrivals.map((list) => {
  let item = 0
  return list.map((arrival) => {
    item += arrival.item === 0 ? 1 : 0
    return { ...arrival, item }
  })
})

test('what is cut is the item whose sound is under way, at the milliseconds that were heard of it', () => {
  fc.assert(
    fc.property(inOrder, fc.nat(3000), (list, afterMs) => {
      const playout = new Playout()
      let atMs = 0
      for (const { waitMs, durationMs, item } of list) {
        atMs += waitMs
        playout.add({ itemId: `i${item}`, contentIndex: 0, atUs: atMs * MS, durationUs: durationMs * MS })
      }
      const cutMs = atMs + afterMs
      const all = heardMs(list)
      const next = all.find(({ endMs }) => endMs > cutMs)
      const heard = playout.cut(cutMs * MS)
      if (next === undefined) expect(heard).toBeUndefined()
      else {
        expect(heard).toEqual({
          itemId: `i${next.item}`,
          contentIndex: 0,
          playedMs: all.filter(({ item, endMs }) => item === next.item && endMs <= cutMs).length,
        })
      }
      expect(playout.cut(cutMs * MS)).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})

test('after a cut new audio plays from its own receipt', () => {
  const playout = new Playout()
  playout.add({ itemId: 'long', contentIndex: 0, atUs: 0, durationUs: 60_000 * MS })
  playout.cut(100 * MS)
  playout.add({ itemId: 'next', contentIndex: 2, atUs: 400 * MS, durationUs: 500 * MS })
  expect(playout.cut(650 * MS + 999)).toEqual({ itemId: 'next', contentIndex: 2, playedMs: 250 })
})
