/** The clients that are compared, and one run of one of them: on one core, against a fresh null server on another. */
import { withNullServer } from './null-server.js'
import { CLIENT_CORE, inRepo, pinned, resultOf } from './processes.js'
import { pythonWithWebsockets } from './python.js'
import { withTempFolder } from './temp-folder.js'

/** Of the units that are answered with audio. */
export const REPLY_SHARE = 0.4
const OURS = inRepo('bench', 'clients', 'level-client.js')
const python = pythonWithWebsockets()

export const CLIENTS = {
  lean: { title: 'floorload, lean', command: [process.execPath, OURS], order: { transport: 'lean' } },
  ws: { title: 'floorload, ws', command: [process.execPath, OURS], order: { transport: 'ws' } },
  naive: { title: 'naive Node client', command: [process.execPath, inRepo('bench', 'clients', 'naive-client.js')] },
  ...(python === undefined
    ? {}
    : { asyncio: { title: 'asyncio client', command: [python, inRepo('bench', 'clients', 'asyncio-client.py')] } }),
}

/**
 * Runs one client once.
 * @param name key of `CLIENTS`
 * @param order sessions, seconds of input, and what else the client takes
 * @returns the line that it printed, as an object. @throws Error where it failed or did not complete its sessions in time
 */
export function runClient(name, { replyShare = REPLY_SHARE, env, isPinned = true, ...order }) {
  const { command: program, order: fixed } = CLIENTS[name]
  return withNullServer(replyShare, (url) =>
    withTempFolder((folder) => {
      const command = [...program, JSON.stringify({ url, folder, ...order, ...fixed })]
      return resultOf(isPinned ? pinned(CLIENT_CORE, command) : command, {
        timeoutMs: 1000 * (60 + 4 * order.seconds),
        env: { ...process.env, ...env },
      })
    }),
  )
}
