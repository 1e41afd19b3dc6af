/** `floorload verify`: the protocol verdict of every recorded session, with the numbered checks that it breaks. */
import { Command } from 'commander'
import { EXIT, type ExitCode } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { analyseRun } from '../../sweep/analyse-run.io.js'
import { print } from '../terminal.io.js'

const REASONS_SHOWN = 5

export function verifyCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('verify')
    .description(
      'judge the recorded sessions of a level by the numbered checks of their protocol; exit 1 when one fails',
    )
    .argument('<run>', 'folder of a level')
    .option('--profile <name|file>', 'judge by this profile instead of the recorded one')
    .option('--json', 'print all verdicts as JSON')
    .action(async (directory: string, flags: { profile?: string; json?: boolean }) => {
      const { sessions, profile } = await analyseRun(directory, { profile: flags.profile, concurrency: 1 })
      const failed = sessions.filter(({ hasSucceeded }) => !hasSucceeded)
      if (flags.json === true) {
        print(
          jsonText({
            schema: 'floorload.verdicts/1',
            profile: profile.name,
            sessions: sessions.map((session) => ({
              session: session.name,
              verdict: session.protocolStatus,
              passed: session.hasSucceeded,
              denied: session.isDenied,
              violations: session.violations,
              notes: session.notes,
              reasons: session.reasons,
              pacing_problems: session.pacing.problems,
            })),
          }),
        )
      } else {
        for (const { name, isDenied, reasons, pacing } of failed) {
          print(`${name}: ${isDenied ? 'denied' : 'fail'}`)
          for (const reason of reasons.slice(0, REASONS_SHOWN)) print(`  ${reason}`)
          if (reasons.length > REASONS_SHOWN) print(`  and ${reasons.length - REASONS_SHOWN} more (--json shows all)`)
          for (const problem of pacing.problems.slice(0, 1)) print(`  pacing: ${problem}`)
        }
        print(`${sessions.length - failed.length} of ${sessions.length} sessions pass (${profile.name})`)
      }
      if (sessions.length === 0) onExit(EXIT.notMeasured)
      else onExit(failed.length === 0 ? EXIT.ok : EXIT.gateMissed)
    })
}
