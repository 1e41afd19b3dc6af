/**
 * How a server can break the rules of frames, with the close code that answers it. Codes and messages are those of the `ws`
 * package, because they end up in traces.
 */

export interface Violation {
  /** For the close frame: RFC 6455, section 7.4.1. */
  readonly closeCode: number
  readonly message: string
}

const PROTOCOL_ERROR = 1002
const INVALID_TEXT = 1007
const POLICY = 1008
const TOO_BIG = 1009

function invalidFrame(code: string, message: string, closeCode = PROTOCOL_ERROR): Violation {
  return { closeCode, message: `${code}: Invalid WebSocket frame: ${message}` }
}

export const VIOLATIONS = {
  reserved23: invalidFrame('WS_ERR_UNEXPECTED_RSV_2_3', 'RSV2 and RSV3 must be clear'),
  reserved1: invalidFrame('WS_ERR_UNEXPECTED_RSV_1', 'RSV1 must be clear'),
  fragmentedControl: invalidFrame('WS_ERR_EXPECTED_FIN', 'FIN must be set'),
  masked: invalidFrame('WS_ERR_UNEXPECTED_MASK', 'MASK must be clear'),
  utf8: invalidFrame('WS_ERR_INVALID_UTF8', 'invalid UTF-8 sequence', INVALID_TEXT),
  opcode: (opcode: number) => invalidFrame('WS_ERR_INVALID_OPCODE', `invalid opcode ${opcode}`),
  controlLength: (bytes: number) =>
    invalidFrame('WS_ERR_INVALID_CONTROL_PAYLOAD_LENGTH', `invalid payload length ${bytes}`),
  closeCode: (code: number) => invalidFrame('WS_ERR_INVALID_CLOSE_CODE', `invalid status code ${code}`),
  frameLength: {
    closeCode: TOO_BIG,
    message: 'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: Unsupported WebSocket frame: payload length > 2^53 - 1',
  },
  messageLength: { closeCode: TOO_BIG, message: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: Max payload size exceeded' },
  fragments: { closeCode: POLICY, message: 'WS_ERR_TOO_MANY_BUFFERED_PARTS: Too many message fragments' },
} as const
