/** What a level's journals tell while it is recorded. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { JournalReader, RECORD } from '../../src/capture/journal/journal-format.js'

/** Sessions of a run folder that have sent a packet so far; none where there is no journal. */
export async function sendingSessions(run: string): Promise<number> {
  const names = await readdir(run).catch(() => [])
  const sending = new Set<string>()
  for (const name of names.filter((candidate) => candidate.endsWith('.journal'))) {
    const bytes = await readFile(join(run, name)).catch(() => Buffer.alloc(0))
    const reader = new JournalReader({
      onRecord: (kind, session) => {
        if (kind === RECORD.packetSent) sending.add(`${name} ${session}`)
      },
    })
    reader.read(bytes)
  }
  return sending.size
}
