/** Which windows go to the detection threads together. */

/** Batches of rows in one job at most: a job's windows are copied, 30 s of audio are 1 MB. */
const BATCHES_PER_JOB_MAX = 4

/**
 * Deals windows out in jobs. Windows of alike length are in one batch, so that its rows end together; jobs get batches in
 * turn, so that they cost alike.
 * @param lengths samples of each window
 * @param options.threads who take jobs, 1 or more
 * @param options.rows windows that the detector works on at once
 * @returns for each job the indexes of its windows; every index stands in exactly one
 */
export function dealWindows(
  lengths: readonly number[],
  { threads, rows }: { readonly threads: number; readonly rows: number },
): number[][] {
  const order = [...lengths.keys()].sort((a, b) => (lengths[b] as number) - (lengths[a] as number) || a - b)
  const batches = Math.ceil(order.length / rows)
  const batchesPerJob = Math.min(BATCHES_PER_JOB_MAX, Math.ceil(batches / threads))
  const jobs: number[][] = Array.from({ length: batches === 0 ? 0 : Math.ceil(batches / batchesPerJob) }, () => [])
  for (let batch = 0; batch < batches; batch += 1) {
    jobs[batch % jobs.length]?.push(...order.slice(batch * rows, (batch + 1) * rows))
  }
  return jobs
}
