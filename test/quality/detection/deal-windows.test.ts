import { describe, expect, test } from 'vitest'
import { dealWindows } from '../../../src/quality/detection/deal-windows.js'

describe('windows dealt out to threads', () => {
  test.each([
    { name: 'nothing', lengths: [], threads: 2, jobs: [] },
    { name: 'less than a batch is one job', lengths: [5, 5, 5], threads: 4, jobs: [[0, 1, 2]] },
    { name: 'a job for each thread', lengths: [7, 7, 7, 7, 7], threads: 2, jobs: [[0, 1, 2, 3], [4]] },
    {
      name: 'alike lengths together, the longest first',
      lengths: [1, 9, 2, 8, 3, 7],
      threads: 2,
      jobs: [
        [1, 3, 5, 4],
        [2, 0],
      ],
    },
    {
      name: 'batches in turn, so that no job has all the long ones',
      lengths: [9, 9, 9, 9, 5, 5, 5, 5, 3, 3, 3, 3, 1, 1, 1],
      threads: 2,
      jobs: [
        [0, 1, 2, 3, 8, 9, 10, 11],
        [4, 5, 6, 7, 12, 13, 14],
      ],
    },
  ])('$name', ({ lengths, threads, jobs }) => {
    expect(dealWindows(lengths, { threads, rows: 4 })).toEqual(jobs)
  })

  test('every window once, four batches in a job at most', () => {
    const lengths = Array.from({ length: 301 }, (_, index) => (index * 37) % 101)
    const jobs = dealWindows(lengths, { threads: 2, rows: 16 })
    expect(jobs.flat().sort((a, b) => a - b)).toEqual([...lengths.keys()])
    expect(jobs).toHaveLength(5)
    expect(Math.max(...jobs.map(({ length }) => length))).toBe(64)
  })
})
