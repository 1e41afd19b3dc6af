/** A thread that analyses the sessions it is sent, one at a time, until it is ended. */
import { parentPort } from 'node:worker_threads'
import type { SessionEntry } from '../capture/run-reader.io.js'
import { type AnalysisSettings, analyseSession, type SessionAnalysis } from './session-analysis.io.js'

export interface ToAnalysisWorker {
  readonly index: number
  readonly entry: SessionEntry
  readonly settings: AnalysisSettings
}

export interface FromAnalysisWorker {
  readonly index: number
  readonly analysis: SessionAnalysis
}

parentPort?.on('message', async ({ index, entry, settings }: ToAnalysisWorker) => {
  parentPort?.postMessage({ index, analysis: await analyseSession(entry, settings) } satisfies FromAnalysisWorker)
})
