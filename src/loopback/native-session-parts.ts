/** What a session of the native protocol is made of: everything it shares with others, or that a test replaces. */
import type { Clock } from '../base/clock.js'
import type { Accelerator } from './accelerator.js'
import type { Deployment } from './deployment.js'
import type { UnitListener } from './hearing.js'
import type { NativeConversation } from './native-conversation.js'
import type { LoopbackOptions } from './options.js'
import type { SessionConfig } from './session-update.js'

/** What the session needs of whatever carries its frames. */
export interface SessionTransport {
  send(text: string): void
  close(code: number, reason: string): void
}

export interface NativeSessionParts {
  readonly id: string
  readonly deployment: Deployment
  readonly options: LoopbackOptions
  readonly clock: Clock
  readonly accelerator: Accelerator
  readonly transport: SessionTransport
  readonly listener: UnitListener
  /** Makes the model's side of the session, once it is known what the client asked for. */
  readonly converse: (config: SessionConfig) => NativeConversation
  /** Asks for the model's memory; false means `admission_rejected`. */
  readonly admit: () => boolean
  /** Called once, when the session has let go of everything. */
  readonly onEnd: () => void
}
