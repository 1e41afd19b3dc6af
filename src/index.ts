/**
 * The library: run a sweep, read recorded runs, judge sessions, build results, start the loopback server. Everything here
 * is what the command line itself calls.
 */

export type { Clock, InstantUs } from './base/clock.js'
export { ERROR_CODES, type ErrorCode, EXIT, type ExitCode, UserError } from './base/errors.js'
export { SystemClock } from './base/system-clock.io.js'
export { type RecordedRun, readRun, readSession, type SessionEntry } from './capture/run-reader.io.js'
export { parseTrace, type TraceLine, type TraceRecord } from './capture/trace-record.js'
export type { InputClip } from './dataset/input-clip.js'
export { predictCapacity, predictLevel } from './loopback/predict.js'
export { type LoopbackServer, type LoopbackServerSettings, startLoopbackServer } from './loopback/server.io.js'
export { type LevelRow, levelRow } from './metrics/level-row.js'
export { type SessionFacts, sessionFacts } from './metrics/session-facts.js'
export { loadProfile, shippedProfiles } from './profile/load-profile.io.js'
export { loadSweepFile } from './profile/load-sweep-file.io.js'
export type { Profile } from './profile/profile.js'
export { type SweepConfig, sweepFileSchema } from './profile/sweep-file.js'
export { judgeSession } from './protocol/judge.js'
export type { Verdict, Violation } from './protocol/verdict.js'
export { servingMarkdown } from './report/serving-markdown.js'
export { terminalReport } from './report/terminal-report.js'
export { type AnalysedRun, analyseRun } from './sweep/analyse-run.io.js'
export { type Capacity, capacityOf, levelOutcomes } from './sweep/capacity.js'
export { type GateResult, judgeGate } from './sweep/gate.js'
export { loadInputs } from './sweep/inputs.io.js'
export { runSweep, type SweepEnd, type SweepEvents, type SweepOptions } from './sweep/run-sweep.io.js'
export { type ServingResult, servingResult } from './sweep/serving-result.js'
