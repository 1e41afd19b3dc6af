import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { COMMANDS, chosenCommand } from '../../src/cli/command-list.js'
import { program } from '../../src/cli/main.js'

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

describe('the list of commands', () => {
  test.each(COMMANDS.map((listed) => [listed.name, listed] as const))(
    'says of %s what it says of itself',
    async (_, listed) => {
      const command = (await listed.load())(() => undefined)
      expect(command.name()).toBe(listed.name)
      expect(command.description()).toBe(listed.description)
      expect(command.usage().replace('[options]', '').replace('[command]', '').trim()).toBe(listed.operands)
    },
  )

  test.each([
    [['sweep', '--url', 'x'], 'sweep'],
    [['--version'], undefined],
    [['--help'], undefined],
    [[], undefined],
    [['help', 'gate'], 'gate'],
    [['help'], undefined],
    [['swep'], undefined],
    [['datasets', 'check', 'sweep'], 'datasets'],
  ])('finds the one that %j is about', (words, name) => {
    expect(chosenCommand(words)?.name).toBe(name)
  })

  test('loads one command and no more', async () => {
    const root = await program(['node', 'floorload', 'profiles'], () => undefined)
    const withOptions = root.commands.filter(({ options }) => options.length > 0)
    expect(withOptions.map((command) => command.name())).toEqual(['profiles'])
    expect(root.commands.map((command) => command.name())).toEqual(COMMANDS.map(({ name }) => name))
  })
})

test('what the help needs reaches no package but the one that reads arguments', async () => {
  const seen = new Set<string>()
  const packages = new Set<string>()
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return
    seen.add(file)
    const source = await readFile(file, 'utf8')
    for (const [, name = ''] of source.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from '([^']+)'/gm)) {
      if (name.startsWith('.')) await visit(join(dirname(file), name.replace(/\.js$/, '.ts')))
      else if (!name.startsWith('node:')) packages.add(name)
    }
  }
  await visit(MAIN)
  expect([...packages]).toEqual(['commander'])
})
