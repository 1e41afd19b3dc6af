/**
 * JUnit XML for the test view of a pipeline: one suite for each profile, one case for each check of the gate and for each
 * recorded level. Without times or host names, so the same result gives the same bytes. Pure.
 *
 * The document agrees with the exit code: with a gate its checks decide, and a level that misses its targets is a finding,
 * shown as skipped. Without a gate the levels are the tests. What was not measured is an error and never green.
 */
import type { CheckResult, GateResult } from '../sweep/gate.js'
import type { ServingLevel, ServingResult } from '../sweep/serving-result.js'
import { describeMiss } from '../sweep/verdict-text.js'
import { attributes, escapeText } from './xml-text.js'

type ReportedResult = Pick<ServingResult, 'profiles' | 'levels' | 'gate'>

interface Case {
  readonly className: string
  readonly name: string
  readonly outcome: Outcome | undefined
}

/** Undefined outcomes are passes. */
interface Outcome {
  readonly tag: 'failure' | 'error' | 'skipped'
  readonly type: string
  readonly message: string
  readonly details?: string
}

export function junitXml(result: ReportedResult): string {
  const profiles = result.profiles.length === 0 ? [NO_PROFILE] : result.profiles
  const suites = profiles.map(({ profile, targets }, index) => {
    // A gate speaks of one profile, and stands with the first one only, so that it is counted once.
    const checks = index === 0 && result.gate !== null ? gateCases(result.gate, profile) : []
    const levels = result.levels.filter((level) => level.profile === profile)
    const cases = [...checks, ...levels.map((level) => levelCase(level, targets, result.gate !== null))]
    return { name: `floorload ${profile}`, cases: cases.length === 0 ? [nothingCase(profile)] : cases }
  })
  const all = suites.flatMap(({ cases }) => cases)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: 'floorload', ...counts(all) })}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite ${attributes({ name, ...counts(cases) })}>`,
      ...cases.flatMap(caseLines),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

/** Of a result in which nothing was recorded. */
const NO_PROFILE = { profile: 'result', targets: { unit_miss_rate_max: 0.01, rtf_p90_below: 1 } }

function counts(cases: readonly Case[]): Record<string, string> {
  const of = (tag: Outcome['tag']) => String(cases.filter(({ outcome }) => outcome?.tag === tag).length)
  return { tests: String(cases.length), failures: of('failure'), errors: of('error'), skipped: of('skipped') }
}

function caseLines({ className, name, outcome }: Case): string[] {
  const head = `    <testcase ${attributes({ classname: className, name })}`
  if (outcome === undefined) return [`${head}/>`]
  const { tag, type, message, details } = outcome
  // The schema of JUnit gives a skipped case a message and no type.
  const about = attributes(tag === 'skipped' ? { message } : { message, type })
  const body =
    details === undefined ? `      <${tag} ${about}/>` : `      <${tag} ${about}>${escapeText(details)}</${tag}>`
  return [`${head}>`, body, '    </testcase>']
}

function gateCases(gate: GateResult, profile: string): Case[] {
  return gate.checks.map((check) => ({
    className: `${profile}.gate`,
    name: check.expression,
    outcome: check.verdict === 'met' ? undefined : checkOutcome(check),
  }))
}

function checkOutcome({ verdict, reason, values }: CheckResult): Outcome {
  const details = values.map(({ concurrency, repeat, subset, value, bounds95, verdict: own }) =>
    [
      concurrency === null ? 'all levels' : `level ${concurrency} run ${repeat}`,
      ...(subset === undefined ? [] : [subset]),
      `value ${value ?? 'none'}`,
      ...(bounds95 == null ? [] : [`95% bounds ${bounds95.low} to ${bounds95.high}`]),
      own,
    ].join(', '),
  )
  return {
    tag: verdict === 'missed' ? 'failure' : 'error',
    type: verdict,
    message: reason,
    ...(details.length === 0 ? {} : { details: details.join('\n') }),
  }
}

function levelCase(level: ServingLevel, targets: ServingResult['profiles'][number]['targets'], hasGate: boolean): Case {
  const missed = level.missed_targets.map((target) => describeMiss(level, target, targets)).join(', ')
  const outcome = (tag: 'failure' | 'error', type: string, message: string): Outcome =>
    hasGate
      ? { tag: 'skipped', type, message: `${message}; the gate decides` }
      : { tag, type, message, details: `run ${level.run}: ${message}` }
  return {
    className: `${level.profile}.levels`,
    name: `level ${level.concurrency} run ${level.repeat} meets its targets`,
    outcome: level.meets_targets
      ? undefined
      : level.valid
        ? outcome('failure', 'missed', `misses: ${missed}`)
        : outcome(
            'error',
            'invalid',
            `not measured: ${missed || 'no session was attempted, or the recording is unfinished'}`,
          ),
  }
}

/** A suite without a case would be green. */
function nothingCase(profile: string): Case {
  return {
    className: `${profile}.levels`,
    name: 'a level was recorded',
    outcome: { tag: 'error', type: 'not_measured', message: 'no level was recorded' },
  }
}
