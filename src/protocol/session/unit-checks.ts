/** Unit receipts: checks N22 to N24, and whether all receipts together account for the input (N25 to N27, T4). */
import { isObject } from '../../capture/trace-record.js'
import { samplesPerUnit } from '../../profile/profile.js'
import type { CheckId } from '../check-catalog.js'
import { violation } from '../findings.js'
import { isSameMs, msOfSamples } from '../media-time.js'
import type { SessionLog, WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show, valueAt } from '../wire-values.js'
import { UNIT_DONE } from './event-types.js'

export interface UnitReceipt {
  readonly record: WireRecord
  /** Number in `unit_id`; undefined where that is no unit id. */
  readonly number: number | undefined
  readonly startMs: unknown
  readonly durationMs: unknown
}

export function readUnitReceipts(log: SessionLog): readonly UnitReceipt[] {
  return log.received(UNIT_DONE).map((record) => ({
    record,
    number: unitNumberOf(record.event.unit_id),
    startMs: valueAt(record.event, 'sglang', 'media_time', 't_start_ms'),
    durationMs: valueAt(record.event, 'sglang', 'media_time', 'duration_ms'),
  }))
}

/** Units the input has, the last one perhaps short; undefined for a profile without units. */
export function expectedUnits(log: SessionLog): number | undefined {
  const perUnit = samplesPerUnit(log.profile)
  return perUnit === undefined ? undefined : Math.ceil(log.inputSamples / perUnit)
}

export function* unitReceiptChecks(log: SessionLog): Generator<Violation> {
  const unitMs = log.profile.unit_ms
  let expected = 0
  for (const unit of readUnitReceipts(log)) {
    const { record, number } = unit
    yield* unitShapeChecks(unit)
    if (number !== undefined) {
      if (number !== expected) {
        yield violation('N23', `unit_id is ${show(record.event.unit_id)}; the next unit is unit_${expected}`, record)
      }
      if (unitMs !== null && typeof unit.startMs === 'number') {
        if (!isSameMs(unit.startMs, number * unitMs, log.profile.input.sample_rate_hz)) {
          const message = `t_start_ms of unit_${number} is ${unit.startMs}; required is ${number * unitMs}`
          yield violation('N24', message, record)
        }
      }
    }
    // Counting on from what arrived keeps one gap one finding.
    expected = (number ?? expected) + 1
  }
}

/** N22. Where a start or a length is missing altogether, the sums below have nothing to work with: said here, once. */
function* unitShapeChecks({ record, number, startMs, durationMs }: UnitReceipt): Generator<Violation> {
  if (number === undefined) {
    const found = show(record.event.unit_id)
    yield violation('N22', `unit_id is ${found}; unit_ followed by decimal digits is required`, record)
  }
  const mediaTime = valueAt(record.event, 'sglang', 'media_time')
  if (!isObject(mediaTime)) {
    yield violation('N22', `sglang.media_time is ${show(mediaTime)}; an object is required`, record)
  } else if (typeof startMs !== 'number' || typeof durationMs !== 'number') {
    const found = `t_start_ms ${show(startMs)} and duration_ms ${show(durationMs)}`
    yield violation('N22', `sglang.media_time has ${found}; two numbers are required`, record)
  }
}

/** Names under which a protocol reports what the receipts add up to. */
export interface UnitSumCheckIds {
  readonly count: CheckId
  readonly empty: CheckId
  readonly sum: CheckId
}

export function* unitSumChecks(log: SessionLog, checks: UnitSumCheckIds): Generator<Violation> {
  const perUnit = samplesPerUnit(log.profile)
  if (perUnit === undefined) return
  const rate = log.profile.input.sample_rate_hz
  const inputMs = msOfSamples(log.inputSamples, rate)
  const units = readUnitReceipts(log).filter((unit) => typeof unit.durationMs === 'number')

  const required = Math.ceil(log.inputSamples / perUnit)
  const withAudio = units.filter((unit) => unit.durationMs !== 0).length
  if (withAudio !== required) {
    const message = `${withAudio} units with audio were done; ${inputMs} ms of input are ${required} units`
    yield violation(checks.count, message)
  }

  const empty = units.filter((unit) => unit.durationMs === 0)
  for (const [index, { record }] of empty.entries()) {
    const name = show(record.event.unit_id)
    if (index > 0) yield violation(checks.empty, `${name} is a second unit of 0 ms; at most one is allowed`, record)
    if (record !== units.at(-1)?.record) {
      yield violation(checks.empty, `${name} of 0 ms is followed by another unit; only the last may be empty`, record)
    }
    if (log.inputSamples % perUnit !== 0) {
      const message = `${name} is 0 ms long, but ${inputMs} ms of input are not a whole number of units`
      yield violation(checks.empty, message, record)
    }
  }

  const sumMs = units.reduce((sum, unit) => sum + Number(unit.durationMs), 0)
  if (!isSameMs(sumMs, inputMs, rate)) {
    yield violation(checks.sum, `the units last ${sumMs} ms together; the input lasts ${inputMs} ms`)
  }
}

function unitNumberOf(unitId: unknown): number | undefined {
  const digits = typeof unitId === 'string' ? /^unit_([0-9]+)$/.exec(unitId)?.[1] : undefined
  return digits === undefined ? undefined : Number(digits)
}
