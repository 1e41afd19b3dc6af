/**
 * Every numbered check, with a short title. Documents, reports and the command line take their wording from here, and a
 * test holds this list and the failing traces of the negative suite together.
 */
import type { ProtocolName } from '../profile/profile.js'

/** Order matters: violations found at one line are listed in the order of this table. */
const TITLES = {
  C1: 'every line is a trace record with exactly three keys',
  C2: 'time never goes back',
  C3: 'every event has a type',
  C4: 'event ids are present and unique in their direction',
  C5: 'no error on the client side',
  C6: 'refused upgrades come first, are counted 1, 2, 3 and stay within the retry limit',
  C7: 'integers, booleans, milliseconds, ids and sglang objects have their JSON type',
  C8: 'some input audio was sent',
  C9: 'audio is strict base64 of whole 16-bit samples',

  N1: 'session.update is sent after session.created',
  N2: 'audio is sent between session.updated and the end of input',
  N3: 'packets are numbered 0, 1, 2 without gap or repeat',
  N4: 't_start_ms is the length of the audio sent before',
  N5: 'the end of input is sent after session.updated',
  N6: 'session.close is sent after drained',
  N7: 'no client command beside update, append, end and close',
  N8: 'nothing follows session.closed',
  N9: 'each milestone of the session happens exactly once',
  N10: 'answers name the earlier client event they answer',
  N11: 'no client event is answered twice by the same kind of answer',
  N12: 'accepted carries the number of its packet',
  N13: 'accepted_end_ms is the length of the audio so far',
  N14: 'every packet is accepted',
  N15: 'the session id is there and stays the same',
  N16: 'the grant is that of a native session in the formats of the profile',
  N17: 'audio output is granted',
  N18: 'supports_truncate is a boolean',
  N19: 'ended reports all input and the tail policy pad',
  N20: 'drained follows ended',
  N21: 'drained reports all input consumed and the right padding',
  N22: 'unit receipts carry a unit id and a media time',
  N23: 'units arrive in order, 0, 1, 2 without gap',
  N24: 'each unit starts at its number times the unit length',
  N25: 'as many units with audio as the input has',
  N26: 'an empty unit only once, only last, only after whole units',
  N27: 'the unit lengths add up to the input',
  N28: 'response.created after session.updated, with a new id, in progress',
  N29: 'response events name a response that is open',
  N30: 'no reply content after drained',
  N31: 'audio deltas have one item id, index 0 and valid samples',
  N32: 'audio.done comes once, and before response.done',
  N33: 'text and transcript deltas carry a string',
  N34: 'no unknown response event',
  N35: 'responses end in an accepted way',
  N36: 'a completed response ends before drained',
  N37: 'every response is completed in the end',
  N38: 'no error from the server',
  N39: 'no unknown server event',
  N40: 'session.closed follows drained, with the reason client_closed',
  N41: 'as much output audio as the profile promises',

  T1: 'the grant is that of a turn-based session in the formats of the profile',
  T2: 'turn detection is asked for and echoed',
  T3: 'the tail is flushed and all input consumed',
  T4: 'unit receipts account for the input',
  T5: 'responses end in an accepted way',
  T6: 'a reply is cancelled only where speech was heard',
  T7: 'an empty turn carries no audio',
  T8: 'every response has ended',
  T9: 'no response event after drained',
  T10: 'speech boundaries alternate and lie within the accepted audio (reported only)',

  L1: 'one session.created, two updates, two answers',
  L2: 'the first update follows session.created and asks for turn detection and audio',
  L3: 'the second update is the empty probe, after some audio',
  L4: 'session.updated answers an update and keeps the session id',
  L5: 'the first answer grants turn detection and audio',
  L6: 'audio is sent between the first answer and the probe, numbered and timed',
  L7: 'no client command beside update and append',
  L8: 'speech boundaries, commits, transcriptions and truncations are allowed',
  L9: 'output_audio_buffer.cleared names a known response, and no input is cleared',
  L10: 'response.created after the first answer, with a new id, in progress',
  L11: 'response events name a response that is open',
  L12: 'audio deltas have one item id, their indices and valid samples; audio.done comes in time',
  L13: 'text deltas carry a string, and no unknown response event',
  L14: 'responses end in an accepted way',
  L15: 'no error, receipt or unknown event from the server',

  O1: 'one session.created comes first and names the session',
  O2: 'audio is sent after the session is set up',
  O3: 'every update is answered, by session.updated or by an error that names it',
  O4: 'session.updated echoes the output format and the turn detection',
  O5: 'response.created has a new id and is in progress; response events name an open response',
  O6: 'audio deltas keep their item and content index, are valid audio, and come before the end of their part',
  O7: 'responses end once, in an accepted way',
  O8: 'speech boundaries alternate, do not go back, and lie within the audio sent',
  O9: 'a turn is committed after its speech stopped (server VAD)',
  O10: 'no error from the server beside lost races of truncate and cancel',
  O11: 'every response has ended',
  O12: 'no event of the session protocol',

  V1: 'the client speaks first, the session is created, then updated, and audio follows',
  V2: 'the numbers of the event journal have no gap',
  V3: 'packets tell their own length and the end of the audio so far',
  V4: 'responses are created once, open while they speak, end once, and their audio is as announced',
  V5: 'no failed response, no error from the server, no unknown reason of a cancel',
  V6: 'session.closed answers the client, and nothing follows it',
  V7: 'a continuous model speaks in one response, in whole frames, nearly as many as it heard',
  V8: 'client events may go without an id; C1 to C9 hold otherwise',
} as const

export type CheckId = keyof typeof TITLES

export interface Check {
  readonly id: CheckId
  readonly title: string
  /** `fails` makes the session fail; `notes` is reported only; `permits` states what is allowed and can never be broken. */
  readonly effect: 'fails' | 'notes' | 'permits'
}

/** Every check, in the order of docs/protocols.md. */
export const CHECKS: readonly Check[] = (Object.keys(TITLES) as CheckId[]).map((id) => ({
  id,
  title: TITLES[id],
  effect: id === 'T10' ? 'notes' : id === 'L8' || id === 'V8' ? 'permits' : 'fails',
}))

const ORDER: ReadonlyMap<string, number> = new Map(CHECKS.map((check, index) => [check.id, index]))

/** Checks that the turn-based protocol replaces by T1 to T9, and the native-only N41. */
const NATIVE_ONLY: ReadonlySet<string> = new Set([
  ...['N16', 'N17', 'N18', 'N19', 'N21', 'N25', 'N26', 'N27', 'N30', 'N35', 'N36', 'N37', 'N41'],
])

/** Protocols whose checks, beside C1 to C9, are one family of their own. */
const FAMILIES: Partial<Record<ProtocolName, string>> = {
  native: 'N',
  'legacy-half-duplex': 'L',
  'openai-realtime': 'O',
  'vllm-duplex': 'V',
}

/** The checks that apply to a protocol, in order. */
export function checksOf(protocol: ProtocolName): readonly Check[] {
  return CHECKS.filter(({ id }) => {
    if (id.startsWith('C')) return true
    const family = FAMILIES[protocol]
    if (family !== undefined) return id.startsWith(family)
    return id.startsWith('T') || (id.startsWith('N') && !NATIVE_ONLY.has(id))
  })
}

/** Title of a check, undefined for a number that does not exist. */
export function titleOfCheck(id: string): string | undefined {
  return Object.hasOwn(TITLES, id) ? TITLES[id as CheckId] : undefined
}

/** Place of a check in the table; unknown numbers come last. */
export function orderOfCheck(id: string): number {
  return ORDER.get(id) ?? ORDER.size
}
