/** `sessions`: one row for each session that was attempted, denied and failed ones too. Columns: docs/exports.md. */
import { US_PER_MS, US_PER_S } from '../../base/clock.js'
import { defined, distributionOf } from '../../metrics/distribution.js'
import { isUnderrun } from '../../metrics/playback.js'
import type { SessionFacts } from '../../metrics/session-facts.js'
import { countUnits } from '../../metrics/unit-columns.js'
import { type Column, type Table, tableOf } from './table.js'
import { levelSeconds, SESSION_KEY, secondsOf, sessionsOf, type TabledRun, type TabledSession } from './tabled-run.js'

export function sessionTable(runs: readonly TabledRun[]): Table {
  return tableOf('sessions', COLUMNS, sessionsOf(runs).map(withFigures))
}

type SessionRow = ReturnType<typeof withFigures>

function withFigures(session: TabledSession) {
  const { run, facts } = session
  const { latenessUs } = facts.pacing
  const isNative = facts.unitsExpected !== null
  return {
    ...session,
    sample: run.samples.get(facts.name),
    lateness: latenessUs === undefined ? null : distributionOf(latenessUs, { unitsPerOutput: US_PER_MS }),
    lags: distributionOf(defined(facts.units.map(({ lagUs }) => lagUs)), { unitsPerOutput: US_PER_S }),
    missed: isNative ? countUnits(facts, (run.profile.unit_ms ?? 0) * US_PER_MS, undefined).missed : null,
  }
}

const COLUMNS: readonly Column<SessionRow>[] = [
  ...SESSION_KEY,
  { name: 'subset', type: 'text', of: ({ sample }) => sample?.subset },
  { name: 'sample', type: 'text', of: ({ sample }) => sample?.item },
  { name: 'variant', type: 'text', of: ({ sample }) => sample?.variant },
  { name: 'outcome', type: 'text', isRequired: true, of: ({ facts }) => outcomeOf(facts) },
  { name: 'reason', type: 'text', of: ({ facts }) => facts.reasons[0] },
  { name: 'input_s', type: 'number', isRequired: true, of: ({ facts }) => secondsOf(facts.inputUs) },
  { name: 'level_start_s', type: 'number', of: ({ run }) => secondsOf(run.originUs) },
  { name: 't0_s', type: 'number', of: ({ run, facts }) => levelSeconds(run, facts.t0Us) },
  { name: 'open_s', type: 'number', of: ({ run, facts }) => levelSeconds(run, facts.openAtUs) },
  { name: 'close_s', type: 'number', of: ({ run, facts }) => levelSeconds(run, facts.closeAtUs) },
  { name: 'packets_sent', type: 'integer', isRequired: true, of: ({ facts }) => facts.packetsSent },
  { name: 'send_lateness_p50_ms', type: 'number', of: ({ lateness }) => lateness?.p50 },
  { name: 'send_lateness_p99_ms', type: 'number', of: ({ lateness }) => lateness?.p99 },
  { name: 'send_lateness_max_ms', type: 'number', of: ({ lateness }) => lateness?.max },
  { name: 'pacing_violation', type: 'boolean', isRequired: true, of: ({ facts }) => facts.pacing.problems.length > 0 },
  { name: 'input_stalled', type: 'boolean', isRequired: true, of: ({ facts }) => facts.pacing.isInputStalled },
  { name: 'units_expected', type: 'integer', of: ({ facts }) => facts.unitsExpected },
  {
    name: 'units_done',
    type: 'integer',
    of: ({ facts }) => (facts.unitsExpected === null ? null : facts.units.length),
  },
  { name: 'units_missed', type: 'integer', of: ({ missed }) => missed },
  { name: 'unit_lag_p50_s', type: 'number', of: ({ lags }) => lags?.p50 },
  { name: 'unit_lag_p99_s', type: 'number', of: ({ lags }) => lags?.p99 },
  { name: 'unit_lag_max_s', type: 'number', of: ({ lags }) => lags?.max },
  { name: 'replies', type: 'integer', isRequired: true, of: ({ facts }) => facts.replies.length },
  { name: 'reply_s', type: 'number', isRequired: true, of: ({ facts }) => facts.replyS },
  {
    name: 'first_audio_min_s',
    type: 'number',
    of: ({ facts }) => secondsOf(extreme(Math.min, defined(facts.replies.map((reply) => reply.firstAudioUs)))),
  },
  {
    name: 'buffer_needed_max_s',
    type: 'number',
    of: ({ facts }) =>
      secondsOf(
        extreme(
          Math.max,
          facts.replies.map((reply) => reply.bufferNeededUs),
        ),
      ),
  },
  { name: 'reserve_s', type: 'number', isRequired: true, of: ({ run }) => secondsOf(run.reserveUs) },
  {
    name: 'underrun_replies',
    type: 'integer',
    isRequired: true,
    of: ({ run, facts }) => facts.replies.filter((reply) => isUnderrun(reply.bufferNeededUs, run.reserveUs)).length,
  },
]

function outcomeOf({ hasSucceeded, isDenied }: SessionFacts): 'ok' | 'failed' | 'denied' {
  if (isDenied) return 'denied'
  return hasSucceeded ? 'ok' : 'failed'
}

function extreme(choose: (a: number, b: number) => number, values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((a, b) => choose(a, b))
}
