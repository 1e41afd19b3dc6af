/** Tables from fabricated facts: figures that fit the level row, order, and text that is hard on a CSV reader. */
import { describe, expect, it } from 'vitest'
import type { ReplyFacts, SessionFacts } from '../../src/metrics/session-facts.js'
import { csvText } from '../../src/report/tables/csv-text.js'
import { replyTable } from '../../src/report/tables/reply-table.js'
import { senderTable } from '../../src/report/tables/sender-table.js'
import { sessionTable } from '../../src/report/tables/session-table.js'
import type { Cell, Table } from '../../src/report/tables/table.js'
import { type RunFacts, type TabledRun, tabledRuns } from '../../src/report/tables/tabled-run.js'
import { unitTable } from '../../src/report/tables/unit-table.js'
import { deniedFacts, factsWith, NATIVE, rowOf, TURN_BASED } from '../helpers/measured-levels.js'

function runWith(sessions: readonly SessionFacts[], changes: Partial<RunFacts> = {}): RunFacts {
  const run = { name: 'concurrency-4', parentName: 'a', profile: NATIVE, concurrency: 4, repeat: 1, reserveUs: 80_000 }
  return { ...run, sessions, samples: new Map(), stalls: undefined, senders: [], ...changes }
}

function tabled(...runs: readonly RunFacts[]): TabledRun[] {
  const made = tabledRuns(runs)
  if (typeof made === 'string') throw new Error(made)
  return made
}

/** Rows by column name. */
function records({ columns, rows }: Table): Record<string, Cell>[] {
  return rows.map((cells) => Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? null])))
}

const REPLY: ReplyFacts = {
  id: 'resp_1',
  firstAudioUs: 250_000,
  bufferNeededUs: 90_000,
  pausesUs: [10_000, 5_000],
  realTimeFactor: undefined,
  deltas: 3,
  isCut: false,
}

/** Good, late and cut short; denied; failed though every unit was in time. */
const SESSIONS = [
  factsWith({
    name: 'b',
    openAtUs: 5_000_000,
    t0Us: 5_500_000,
    closeAtUs: 9_000_000,
    lagsUs: [200_000, 1_000_001],
    unitsExpected: 3,
    replies: [REPLY, { ...REPLY, id: 'resp_2', firstAudioUs: undefined, bufferNeededUs: 80_000, pausesUs: [] }],
    replyS: 1.5,
    pacing: { problems: [], latenessUs: [-1500, 500, 2500], isInputStalled: false },
  }),
  deniedFacts({ name: 'c', unitsExpected: 2 }),
  factsWith({ name: 'a', openAtUs: 4_000_000, hasSucceeded: false, reasons: ['N3 odd', 'N4 odder'] }),
]

describe('tables', () => {
  it('have every session, with figures that add up to those of the level row', () => {
    const runs = tabled(runWith(SESSIONS))
    const row = rowOf(SESSIONS)
    const sessions = records(sessionTable(runs))
    const units = records(unitTable(runs))
    const total = (name: string) => sessions.reduce((sum, session) => sum + Number(session[name]), 0)
    expect(sessions.map(({ session, outcome, reason }) => [session, outcome, reason])).toEqual([
      ['a', 'failed', 'N3 odd'],
      ['b', 'ok', null],
      ['c', 'denied', 'C5 client error: denied'],
    ])
    expect([total('units_expected'), units.length]).toEqual([row.units_expected, row.units_expected])
    expect([total('units_missed'), units.filter(({ missed }) => missed === true).length]).toEqual([
      row.units_missed,
      row.units_missed,
    ])
    expect(total('units_done')).toBe(row.units_completed)
    expect(total('underrun_replies')).toBe(row.underrun_replies)
    expect(records(replyTable(runs)).reduce((sum, reply) => sum + Number(reply.pauses), 0)).toBe(row.underrun_count)
  })

  it('have times on the clock of the level, units in their names, and null where there is nothing', () => {
    const samples = new Map([['b', { subset: 'speech', item: 'slt-01', variant: 'input' }]])
    const runs = tabled(runWith(SESSIONS, { samples }))
    const [, good, denied] = records(sessionTable(runs))
    expect(good).toEqual({
      profile: 'minicpmo-native',
      run: 'concurrency-4',
      concurrency: 4,
      repeat: 1,
      session: 'b',
      subset: 'speech',
      sample: 'slt-01',
      variant: 'input',
      outcome: 'ok',
      reason: null,
      input_s: 2,
      level_start_s: 4,
      t0_s: 1.5,
      open_s: 1,
      close_s: 5,
      packets_sent: 2,
      send_lateness_p50_ms: 0.5,
      send_lateness_p99_ms: 2.46,
      send_lateness_max_ms: 2.5,
      pacing_violation: false,
      input_stalled: false,
      units_expected: 3,
      units_done: 2,
      units_missed: 2,
      unit_lag_p50_s: 0.6000005,
      unit_lag_p99_s: 0.99200099,
      unit_lag_max_s: 1.000001,
      replies: 2,
      reply_s: 1.5,
      first_audio_min_s: 0.25,
      buffer_needed_max_s: 0.09,
      reserve_s: 0.08,
      underrun_replies: 1,
    })
    expect(denied).toMatchObject({
      sample: null,
      open_s: null,
      t0_s: null,
      unit_lag_p99_s: null,
      first_audio_min_s: null,
    })
    expect(records(unitTable(runs)).slice(2, 5)).toMatchObject([
      { session: 'b', unit: 0, ready_s: -2, done_s: -1.8, lag_s: 0.2, speak: false, missed: false, why: null },
      {
        session: 'b',
        unit: 1,
        ready_s: -1,
        done_s: 0.000001,
        lag_s: 1.000001,
        speak: false,
        missed: true,
        why: 'late',
      },
      { session: 'b', unit: 2, ready_s: null, done_s: null, lag_s: null, speak: null, missed: true, why: 'no_receipt' },
    ])
    expect(records(replyTable(runs))).toMatchObject([
      { reply: 'resp_1', first_audio_s: 0.25, buffer_needed_s: 0.09, pauses: 2, pause_s: 0.015, rtf: null, deltas: 3 },
      { reply: 'resp_2', first_audio_s: null, pauses: 0, pause_s: 0, cut: false },
    ])
  })

  it('say why a unit is missed by what it did itself, and only then by its session', () => {
    const units = [
      { unit: 0, doneAtUs: 2_000_000, lagUs: 1_000_000, isSpeak: true },
      { unit: 1, doneAtUs: 3_000_000, lagUs: 1_000_001, isSpeak: true },
      { unit: 2, doneAtUs: 4_000_000, lagUs: undefined, isSpeak: true },
    ]
    const failed = factsWith({ name: 'f', units, unitsExpected: 4, hasSucceeded: false, reasons: ['N3 odd'] })
    const good = factsWith({ name: 'g', units, unitsExpected: 4 })
    const rows = records(unitTable(tabled(runWith([failed, good]))))
    expect(rows.map(({ why }) => why)).toEqual([
      ...['session_failed', 'late', 'no_lag', 'no_receipt'],
      ...[null, 'late', 'no_lag', 'no_receipt'],
    ])
    expect(rows.every(({ why, missed }) => missed === (why !== null))).toBe(true)
    expect(rows[2]).toMatchObject({ ready_s: null, done_s: 4, lag_s: null })
    const own = rows.filter(({ why }) => why !== null && why !== 'session_failed').length
    expect(own).toBe(rowOf([failed, good]).units_late_or_missing)
  })

  it('have no units where the protocol is not judged by them', () => {
    const run = runWith([factsWith({ unitsExpected: null, units: [] })], { profile: TURN_BASED })
    expect(records(sessionTable(tabled(run)))).toMatchObject([
      { units_expected: null, units_done: null, units_missed: null },
    ])
    expect(unitTable(tabled(run)).rows).toEqual([])
  })

  it('do not depend on the order in which runs and sessions were read', () => {
    const other = runWith([factsWith()], { name: 'concurrency-2', concurrency: 2 })
    const forth = tabled(runWith(SESSIONS), other)
    const back = tabled(other, runWith([...SESSIONS].reverse()))
    expect(csvText(sessionTable(back))).toBe(csvText(sessionTable(forth)))
    expect(forth.map(({ label }) => label)).toEqual(['concurrency-2', 'concurrency-4'])
  })

  it('tell runs of one name apart by the folder around them, or not at all', () => {
    const one = runWith([factsWith()])
    expect(tabled(one, { ...one, parentName: 'b' }).map(({ label }) => label)).toEqual([
      'a-concurrency-4',
      'b-concurrency-4',
    ])
    expect(tabledRuns([one, one])).toBe('a-concurrency-4')
  })
})

describe('CSV', () => {
  it('quotes what has to be quoted, and tells empty text from nothing', () => {
    const columns = ['text', 'other'].map((name) => ({ name, type: 'text' as const }))
    const rows: Cell[][] = [
      ['a,b', 'say "no"'],
      ['one\ntwo\r\nthree', ''],
      [null, 'ä 漢 🙂'],
      [-0.000001, true],
    ]
    expect(csvText({ name: 't', columns, rows })).toBe(
      'text,other\n"a,b","say ""no"""\n"one\ntwo\r\nthree",""\n,ä 漢 🙂\n-0.000001,true\n',
    )
  })
})

describe('the table of senders', () => {
  const second = {
    at_s: 4.5,
    sends: 50,
    send_lateness_p99_ms: 0.4,
    send_lateness_max_ms: 0.9,
    loop_delay_max_ms: 1.2,
    receive_delay_p99_ms: null,
    receive_delay_max_ms: null,
    gc_pauses: 1,
    gc_total_ms: 0.5,
    gc_max_ms: 0.5,
    pending_trace_bytes: 4096,
    pending_writes: null,
    open_sessions: 4,
    cpu_share: 0.25,
    rss_mb: 80.5,
  }

  it('has a row for each second of each sender, on the clock of the level', () => {
    const senders = [
      { sender: 0, series: [second, { ...second, at_s: 5.5, sends: 49 }] },
      { sender: 1, series: [{ ...second, sends: 7 }] },
    ]
    const rows = records(senderTable(tabled(runWith(SESSIONS, { senders }))))
    // The level's first session opened at 4 s.
    expect(rows.map((row) => [row.sender, row.at_s, row.sends])).toEqual([
      [0, 0.5, 50],
      [0, 1.5, 49],
      [1, 0.5, 7],
    ])
    const { at_s: _, ...figures } = second
    expect(rows[0]).toMatchObject({ run: 'concurrency-4', concurrency: 4, ...figures })
  })

  it('has none where no sender kept a record', () => {
    expect(senderTable(tabled(runWith(SESSIONS))).rows).toEqual([])
  })
})
