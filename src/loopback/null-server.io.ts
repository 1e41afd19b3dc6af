/**
 * A server that costs next to nothing: what a load generator does against it is what the load generator itself can do. It is
 * no model of a deployment: it never takes longer, whatever the load (docs/calibrate.md).
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { UserError } from '../base/errors.js'
import type { Profile } from '../profile/profile.js'
import { deploymentOf } from './deployment.js'
import { GROUPS, NullFrames } from './null-server/null-frames.js'
import { NullSession } from './null-server/null-session.js'
import { loopbackOptionsSchema } from './options.js'

export interface NullServerStats {
  readonly connections: number
  readonly packets: number
}

export interface NullServer {
  readonly url: string
  readonly stats: () => NullServerStats
  /** Ends it, with its connections. */
  close(): void
}

/** A storm of connections is part of the job. */
const BACKLOG = 8192

/** Listens on this host alone. @throws UserError for a profile that it cannot serve; Error when it cannot listen */
export async function startNullServer(options: {
  readonly profile: Profile
  readonly port: number
  readonly replyShare: number
}): Promise<NullServer> {
  const deployment = deploymentOf(options.profile, loopbackOptionsSchema.parse({}))
  if (options.profile.protocol !== 'native' || deployment.continuous) {
    throw new UserError({
      code: 'USAGE',
      message: `the null server answers unit by unit, and profile ${options.profile.name} does not`,
      fix: 'choose a native profile that answers in turns, such as minicpmo-native',
    })
  }
  const frames = new NullFrames(deployment, options.replyShare)
  const sockets = new Map<Socket, NullSession>()
  let connections = 0
  let packets = 0
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1
    const session = new NullSession(frames, connections % GROUPS, {
      write: (bytes) => socket.write(bytes),
      end: () => socket.end(),
    })
    sockets.set(socket, session)
    socket.on('data', (bytes) => session.read(bytes))
    // A client that breaks off is an ordinary end.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      packets += session.packets
      sockets.delete(socket)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: options.port, backlog: BACKLOG }, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}/v1/realtime`,
    stats: () => ({
      connections,
      packets: [...sockets.values()].reduce((sum, session) => sum + session.packets, packets),
    }),
    close: () => {
      server.close()
      for (const socket of sockets.keys()) socket.destroy()
    },
  }
}
