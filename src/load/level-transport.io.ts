/** Makes the transport that a level was given. */
import { LeanTransport } from './lean/lean-transport.io.js'
import type { LevelTransport, TransportOptions } from './transport.js'
import type { TransportName } from './transport-choice.js'
import { WsTransport } from './ws-transport.io.js'

const TRANSPORTS: Readonly<Record<TransportName, new (options: TransportOptions) => LevelTransport>> = {
  ws: WsTransport,
  lean: LeanTransport,
}

export function createLevelTransport(name: TransportName, options: TransportOptions): LevelTransport {
  return new TRANSPORTS[name](options)
}
