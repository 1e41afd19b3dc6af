/** A gate's verdict as lines of text: the overall one, then each check where there are several. Pure. */
import type { CheckResult, CheckVerdict, GateResult } from '../sweep/gate.js'

/** Plain words; what did not pass stands out without colour. */
export const CHECK_WORDS: Readonly<Record<CheckVerdict, string>> = {
  met: 'met',
  missed: 'MISSED',
  inconclusive: 'inconclusive',
  not_measured: 'not measured',
}

const WIDTH = Math.max(...Object.values(CHECK_WORDS).map((word) => word.length))

/** The lines below the overall verdict; none where the verdict says it all. */
export function checkLines({ checks }: GateResult): string[] {
  return checks.length < 2 ? [] : checks.map((check) => `  ${checkLine(check)}`)
}

function checkLine({ verdict, expression, reason }: CheckResult): string {
  return `${CHECK_WORDS[verdict].padEnd(WIDTH)}  ${expression}: ${reason}`
}
