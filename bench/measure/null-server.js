/** The cheap server that everything is measured against: it answers at once and thinks nothing. On a core of its own. */
import { inRepo, pinned, SERVER_CORE, startServing } from './processes.js'

const PROGRAM = inRepo('dist', 'loopback', 'null-server-process.io.js')

/**
 * Runs `use` against a fresh server.
 * @param replyShare of the units that are answered with audio, from 0 to 1
 */
export async function withNullServer(replyShare, use) {
  const command = [process.execPath, PROGRAM, '--port', '0', '--reply-share', String(replyShare)]
  const { url, stop } = await startServing(pinned(SERVER_CORE, command))
  try {
    return await use(url)
  } finally {
    await stop()
  }
}
