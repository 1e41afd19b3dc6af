/**
 * The faults that a session of the loopback can have on purpose. A fault stands between a session and whatever carries
 * its frames, so that it works for every protocol: the session below is sound, and exactly the fault shows.
 *
 *   session ──frame──► fault ──► the frame · an altered one · several · none · the end of the connection ──► client
 *
 * Pure and deterministic; `fault-injector.ts` decides which sessions have it and carries it out.
 */
import type { ProtocolName } from '../profile/profile.js'
import { type Fault, type FaultContext, type Outgoing, textOut } from './fault.js'
import { errorFrame } from './fault-events.js'
import {
  type Frame,
  withNonFiniteNumber,
  withOddBytes,
  withOtherOutputRate,
  withTruncatedBase64,
} from './fault-frames.js'
import { atMoment, fatalError, NO_FAULT, onceOnFrame, onEveryFrame, replyAfterDrain, swapUnits } from './fault-kinds.js'

export interface FaultInfo {
  readonly name: string
  /** For a person: what the client meets. */
  readonly what: string
  readonly appliesTo: readonly ProtocolName[]
}

const EVERY: readonly ProtocolName[] = ['native', 'turn-based', 'legacy-half-duplex', 'openai-realtime', 'vllm-duplex']
const WITH_RECEIPTS: readonly ProtocolName[] = ['native', 'turn-based']
/** A refusal in band ends a vLLM session: the same one makes no second attempt. */
const WITH_ATTEMPTS = EVERY.filter((protocol) => protocol !== 'vllm-duplex')
/** The legacy dialect names no rates. */
const WITH_RATES = EVERY.filter((protocol) => protocol !== 'legacy-half-duplex')

/** Every fault, in the order of docs/loopback.md. */
export const FAULTS = [
  { name: 'error-fatal', what: 'a fatal error, and the end of the session', appliesTo: EVERY },
  { name: 'error', what: 'an error that is not fatal; the session goes on', appliesTo: EVERY },
  { name: 'disconnect', what: 'the connection is dropped without a close frame', appliesTo: EVERY },
  { name: 'malformed-json', what: 'a frame lacks its last character', appliesTo: EVERY },
  { name: 'non-finite', what: 'a number in a frame is NaN', appliesTo: EVERY },
  { name: 'binary-frame', what: 'a frame is sent as a binary one', appliesTo: EVERY },
  { name: 'unit-out-of-order', what: 'two neighbouring unit receipts change places', appliesTo: WITH_RECEIPTS },
  { name: 'receipt-missing', what: 'the receipt of one packet is not sent', appliesTo: WITH_RECEIPTS },
  { name: 'response-after-drain', what: 'a whole reply follows the drain receipt', appliesTo: WITH_RECEIPTS },
  { name: 'lingering-close', what: 'no closing handshake is ever completed', appliesTo: EVERY },
  { name: 'denied-twice', what: 'two attempts to connect are refused, the third is let in', appliesTo: WITH_ATTEMPTS },
  { name: 'denied', what: 'every attempt to connect is refused', appliesTo: EVERY },
  { name: 'slow-handshake', what: 'the upgrade is answered late', appliesTo: EVERY },
  { name: 'half-open', what: 'nothing is read or written any more, nor closed', appliesTo: EVERY },
  { name: 'wrong-sample-rate', what: 'another output rate is granted than is sent', appliesTo: WITH_RATES },
  { name: 'truncated-base64', what: 'the audio of one delta lacks its last base64 character', appliesTo: EVERY },
  { name: 'odd-bytes', what: 'the audio of one delta lacks its last byte', appliesTo: EVERY },
] as const satisfies readonly FaultInfo[]

export type FaultName = (typeof FAULTS)[number]['name']

export const FAULT_NAMES: readonly FaultName[] = FAULTS.map(({ name }) => name)

/** Those that happen before there is a session; the others need one. */
export const HANDSHAKE_FAULTS: ReadonlySet<FaultName> = new Set(['denied-twice', 'denied', 'slow-handshake'])

export function faultApplies(name: FaultName, protocol: ProtocolName): boolean {
  const fault: FaultInfo | undefined = FAULTS.find((candidate) => candidate.name === name)
  return fault?.appliesTo.includes(protocol) === true
}

/** A fresh fault for one session. */
export function createFault(name: FaultName, context: FaultContext): Fault {
  return FACTORIES[name](context)
}

const FACTORIES: Readonly<Record<FaultName, (context: FaultContext) => Fault>> = {
  'error-fatal': fatalError,
  error: (context) => atMoment(context, () => [textOut(errorFrame({ ...context, isFatal: false }))]),
  disconnect: (context) => atMoment(context, () => [{ kind: 'cut' }]),
  'malformed-json': (context) => onceOnFrame(context, (_frame, text) => [textOut(text.slice(0, -1))]),
  'non-finite': (context) => onceOnFrame(context, (frame) => outOf(withNonFiniteNumber(frame))),
  'binary-frame': (context) => onceOnFrame(context, (_frame, text) => [{ kind: 'binary', bytes: Buffer.from(text) }]),
  'unit-out-of-order': swapUnits,
  'receipt-missing': (context) => onceOnFrame(context, ({ type }) => (type === RECEIPT ? [] : undefined)),
  'response-after-drain': replyAfterDrain,
  'lingering-close': () => ({ ...NO_FAULT, completesClose: false }),
  'denied-twice': () => ({ ...NO_FAULT, onUpgrade: (attempt) => (attempt <= 2 ? { deny: true } : {}) }),
  denied: () => ({ ...NO_FAULT, onUpgrade: () => ({ deny: true }) }),
  'slow-handshake': ({ delayMs }) => ({ ...NO_FAULT, onUpgrade: () => ({ delayMs }) }),
  'half-open': (context) => atMoment(context, () => [{ kind: 'freeze' }]),
  'wrong-sample-rate': () => onEveryFrame(withOtherOutputRate),
  'truncated-base64': (context) => onceOnFrame(context, (frame) => outOf(withTruncatedBase64(frame))),
  'odd-bytes': (context) => onceOnFrame(context, (frame) => outOf(withOddBytes(frame))),
}

const RECEIPT = 'sglang.input_audio.accepted'

function outOf(frame: Frame | string | undefined): readonly Outgoing[] | undefined {
  return frame === undefined ? undefined : [textOut(frame)]
}
