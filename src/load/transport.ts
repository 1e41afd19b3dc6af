/**
 * What the session runner asks of a connection. Implemented twice, to the same words: `ws-transport.io.ts` over the `ws`
 * package, `lean/lean-transport.io.ts` over plain sockets; tests use an in-memory one.
 */

/** Incoming messages may be this long, as in the field's recorder. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024
/** Characters of the body of a refusal; more tells a person no more. */
export const MAX_REFUSAL_BODY_LENGTH = 2048

export interface ConnectionHandlers {
  onOpen(): void
  /** A whole text message, valid UTF-8: `bytes[from, to)`, valid during the call only. */
  onText(bytes: Buffer, from: number, to: number): void
  /** A binary frame: never part of these protocols. */
  onBinary(bytes: number): void
  /** The upgrade was answered with another status than 101. Final. */
  onRefused(refusal: { readonly status: number; readonly body: string }): void
  /** The connection could not be made, or broke a rule of its transport before it opened. Final. */
  onFailed(message: string): void
  /** The connection is gone, after `onOpen`. Final. */
  onClosed(code: number, reason: string): void
}

export interface Connection {
  /**
   * Sends a text message; `onTaken` is called when the transport has taken all its bytes, with the error when it cannot.
   * @param frame a text, or what the transport's `prepare` made of one
   */
  send(frame: Buffer | string, onTaken: (error?: Error | null) => void): void
  /** Starts the closing handshake. */
  close(code: number): void
  /** Drops the connection at once. */
  terminate(): void
}

export interface Transport {
  connect(handlers: ConnectionHandlers): Connection
}

/** A transport for a whole level: one address, any number of connections. */
export interface LevelTransport extends Transport {
  /** Turns a text message, in UTF-8, into the form in which it is sent: once per message, shared by all connections. */
  prepare(message: Buffer): Buffer
}

export interface TransportOptions {
  /** `ws://` or `wss://` */
  readonly url: string
  /** Sent with the upgrade. */
  readonly headers: Readonly<Record<string, string>>
  /** A handshake that makes no progress for this long has failed. */
  readonly handshakeTimeoutMs: number
}
