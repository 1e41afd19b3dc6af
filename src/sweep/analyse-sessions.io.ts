/**
 * Analyses the sessions of a level on all cores: each is a task of its own, and results come back in the order of the
 * sessions, so that nothing shows how many threads there were. Small levels are done before a thread would have started.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SessionEntry } from '../capture/run-reader.io.js'
import type { FromAnalysisWorker, ToAnalysisWorker } from './analysis-worker.io.js'
import { type AnalysisSettings, analyseSession, type SessionAnalysis } from './session-analysis.io.js'

const WORKER = new URL('./analysis-worker.io.js', import.meta.url)
/** Starting a thread takes as long as analysing some ten sessions. */
const SESSIONS_PER_THREAD = 24
/** Sessions that a thread has before it, so that it never waits for the next one. */
const TASKS_AHEAD = 2

/** @param threads at most these; as many as there are cores unless given */
export async function analyseSessions(
  entries: readonly SessionEntry[],
  settings: AnalysisSettings,
  threads = availableParallelism(),
): Promise<SessionAnalysis[]> {
  const count = Math.min(threads, Math.floor(entries.length / SESSIONS_PER_THREAD))
  // Threads run compiled code; where the sources themselves are run there is none.
  if (count < 2 || !import.meta.url.endsWith('.js')) {
    const analyses: SessionAnalysis[] = []
    for (const entry of entries) analyses.push(await analyseSession(entry, settings))
    return analyses
  }
  return inThreads(entries, settings, count)
}

async function inThreads(
  entries: readonly SessionEntry[],
  settings: AnalysisSettings,
  count: number,
): Promise<SessionAnalysis[]> {
  const analyses: SessionAnalysis[] = new Array(entries.length)
  const workers = Array.from({ length: count }, () => new Worker(WORKER))
  try {
    await new Promise<void>((resolve, reject) => {
      let next = 0
      let done = 0
      const send = (worker: Worker) => {
        const entry = entries[next]
        if (entry === undefined) return
        worker.postMessage({ index: next, entry, settings } satisfies ToAnalysisWorker)
        next += 1
      }
      for (const worker of workers) {
        worker.on('message', ({ index, analysis }: FromAnalysisWorker) => {
          analyses[index] = analysis
          done += 1
          if (done === entries.length) resolve()
          else send(worker)
        })
        worker.on('error', reject)
        worker.on('exit', (code) => reject(new Error(`a thread of the analysis ended with code ${code}`)))
        for (let task = 0; task < TASKS_AHEAD; task += 1) send(worker)
      }
    })
  } finally {
    for (const worker of workers) await worker.terminate()
  }
  return analyses
}
