/** What the session runner asks of a connection. Implemented by `ws-transport.io.ts`; tests use an in-memory one. */

/** Incoming messages may be this long, as in the field's recorder. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024

export interface ConnectionHandlers {
  onOpen(): void
  onText(text: string): void
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
  /** Sends a text frame; `onTaken` is called when the transport has taken all its bytes, with the error when it cannot. */
  send(frame: Buffer | string, onTaken: (error?: Error) => void): void
  /** Starts the closing handshake. */
  close(code: number): void
  /** Drops the connection at once. */
  terminate(): void
}

export interface Transport {
  connect(handlers: ConnectionHandlers): Connection
}
