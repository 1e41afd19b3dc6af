/**
 * Makes the files of a level's sessions out of a journal, when nothing is sent any more: traces, receipts and inputs
 * (docs/formats.md, "Run directory"). A sender does it with its own journal, and whoever outlives a sender that died with
 * the dead one's.
 */
import { appendFileSync } from 'node:fs'
import { copyFile, link, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, outputError, writeFileWhole } from '../base/atomic-file.io.js'
import { JournalReader } from '../capture/journal/journal-format.js'
import { INPUT_FILE, RECEIPTS_FILE, TRACE_FILE } from '../capture/run-manifest.js'
import { driverOf } from '../protocol/registry.js'
import type { LevelPlan } from './level-plan.js'
import { SessionStory, type StoryEnd } from './session-story.js'
import { wireInputs } from './wire-inputs.io.js'

const PIECE_BYTES = 1024 * 1024

export interface StoreOptions {
  readonly plan: LevelPlan
  /** Sessions of the journal, by their number in it: indices into the plan's sessions. */
  readonly sessions: readonly number[]
  readonly journal: string
  /** Set where the sender died: the end of every session that the journal does not end, even of one that never began. */
  readonly death?: StoryEnd | undefined
  /** Called after every piece of the journal. */
  readonly onProgress?: () => void
  /** The end of a session turned out to be another than was said while it ran. */
  readonly onAmended?: (directory: string, end: StoryEnd) => void
}

/**
 * Stores the sessions that the journal tells of, and removes the journal.
 * @returns bytes of the traces
 * @throws UserError when something cannot be written
 */
export async function storeSessions(options: StoreOptions): Promise<number> {
  const { plan, sessions, journal, death, onProgress, onAmended } = options
  const inputIndices = new Set(sessions.map((index) => plan.sessions[index]?.inputIndex ?? -1))
  const wire = await wireInputs(plan, driverOf(plan.profile), inputIndices)
  const stories = sessions.map((index) => {
    const session = plan.sessions[index]
    const packets = session === undefined ? undefined : wire[session.inputIndex]
    if (session === undefined || packets === undefined) throw new Error(`the plan has no session ${index}`)
    const folder = join(plan.runDirectory, session.directory)
    return new SessionStory(packets, (bytes) => appendTo(join(folder, TRACE_FILE), bytes))
  })
  const folders = sessions.map((index) => plan.sessions[index]?.directory ?? '')
  for (const folder of folders) {
    await makeFolder(join(plan.runDirectory, folder))
    // A sender may have died while it stored; what it had written is written again.
    await rm(join(plan.runDirectory, folder, TRACE_FILE), { force: true })
  }
  await readJournal(
    journal,
    new JournalReader({
      onRecord: (kind, session, atUs, number, body) => stories[session]?.tell(kind, atUs, number, body),
    }),
    onProgress,
  )
  let traceBytes = 0
  for (const [number, story] of stories.entries()) {
    const directory = folders[number] as string
    const folder = join(plan.runDirectory, directory)
    if (death !== undefined) story.endBy(death)
    if (!story.hasBegun) {
      await rm(folder, { recursive: true, force: true })
      continue
    }
    traceBytes += story.finish()
    const input = plan.inputs[plan.sessions[sessions[number] as number]?.inputIndex ?? -1]
    if (input !== undefined) await placeInput(input.file, join(folder, INPUT_FILE))
    await writeFileWhole(join(folder, RECEIPTS_FILE), story.receiptsText())
    if (story.amendedEnd !== undefined) onAmended?.(directory, story.amendedEnd)
  }
  await rm(journal, { force: true })
  return traceBytes
}

async function readJournal(path: string, reader: JournalReader, onPiece?: () => void): Promise<void> {
  const file = await open(path, 'r').catch((thrown: NodeJS.ErrnoException) => {
    // A sender that died early never made one.
    if (thrown.code === 'ENOENT') return undefined
    throw outputError(path, thrown)
  })
  if (file === undefined) return
  try {
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES)
      if (bytesRead === 0) return
      reader.read(piece.subarray(0, bytesRead))
      onPiece?.()
    }
  } finally {
    await file.close()
  }
}

function appendTo(path: string, bytes: Buffer): void {
  try {
    appendFileSync(path, bytes)
  } catch (thrown) {
    throw outputError(path, thrown)
  }
}

/** The same bytes under a second name where the file system can do that, a copy elsewhere. */
async function placeInput(from: string, to: string): Promise<void> {
  await link(from, to)
    .catch(() => copyFile(from, to))
    .catch((thrown: unknown) => {
      throw outputError(to, thrown)
    })
}
