import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DeadlineQueue } from '../../src/base/deadline-queue.js'

type Step =
  | { readonly kind: 'add'; readonly dueUs: number }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'run'; readonly byUs: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), dueUs: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('run' as const), byUs: fc.nat(20) }) },
)

it('wakes as a sorted list would, whatever is added, cancelled and taken', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queue = new DeadlineQueue()
      const woken: number[] = []
      const expected: number[] = []
      const cancels: (() => void)[] = []
      let pending: { id: number; dueUs: number }[] = []
      let nowUs = 0
      const run = (untilUs: number) => {
        for (let wake = queue.takeDue(untilUs); wake !== undefined; wake = queue.takeDue(untilUs)) wake()
        // Array sorting is stable, so equal due times stay in the order of asking.
        const due = pending.filter(({ dueUs }) => dueUs <= untilUs).sort((a, b) => a.dueUs - b.dueUs)
        expected.push(...due.map(({ id }) => id))
        pending = pending.filter(({ dueUs }) => dueUs > untilUs)
      }
      for (const each of steps) {
        if (each.kind === 'add') {
          const id = cancels.length
          cancels.push(queue.add(each.dueUs, () => woken.push(id)))
          pending.push({ id, dueUs: each.dueUs })
        } else if (each.kind === 'cancel') {
          cancels[each.pick % Math.max(1, cancels.length)]?.()
          pending = pending.filter(({ id }) => id !== each.pick % Math.max(1, cancels.length))
        } else {
          nowUs += each.byUs
          run(nowUs)
        }
        const earliestUs = pending.length === 0 ? undefined : Math.min(...pending.map(({ dueUs }) => dueUs))
        expect(queue.earliestUs).toBe(earliestUs)
      }
      run(Number.MAX_SAFE_INTEGER)
      expect(woken).toEqual(expected)
    }),
  )
})
