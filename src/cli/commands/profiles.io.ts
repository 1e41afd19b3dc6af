/** `floorload profiles`: the kinds of server that come with the package. */
import Table from 'cli-table3'
import { Command } from 'commander'
import { EXIT, type ExitCode } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { shippedProfiles } from '../../profile/load-profile.io.js'
import { print } from '../terminal.io.js'

export function profilesCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('profiles')
    .description('list the shipped profiles')
    .option('--json', 'print them whole')
    .action(async (flags: { json?: boolean }) => {
      const profiles = await shippedProfiles()
      if (flags.json === true) print(jsonText(profiles))
      else {
        const table = new Table({
          head: ['profile', 'protocol', 'unit', 'in', 'out', 'what it is'],
          style: { head: [], border: [], compact: true },
        })
        for (const profile of profiles) {
          table.push([
            [profile.name, ...profile.aliases.map((alias) => `  = ${alias}`)].join('\n'),
            profile.protocol,
            profile.unit_ms === null ? '-' : `${profile.unit_ms} ms`,
            `${profile.input.sample_rate_hz} Hz`,
            `${profile.output.sample_rate_hz} Hz`,
            profile.description,
          ])
        }
        print(table.toString())
      }
      onExit(EXIT.ok)
    })
}
