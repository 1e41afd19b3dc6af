/** Whole sessions of the protocols in turns, for tests: on the in-memory transport and the virtual clock. */
import { parseTraceLine } from '../../src/capture/trace-record.js'
import { judgeSession } from '../../src/protocol/judge.js'
import { type Client, openSession, runSession, sendPackets, type WireEvent, type World } from './native-client.js'

const SERVER_VAD = { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 0, silence_duration_ms: 320 }

export const TURN_BASED_SESSION = sessionWith(SERVER_VAD)

export function sessionWith(turnDetection: WireEvent | null): WireEvent {
  return { output_modalities: ['text', 'audio'], audio: { input: { turn_detection: turnDetection } } }
}

export function runTurnBased(world: World, input: Int16Array, session = TURN_BASED_SESSION): Promise<Client> {
  return runSession(world, input, session)
}

export const LEGACY_SESSION = { modalities: ['text', 'audio'], turn_detection: SERVER_VAD }

/** Packets, a tail of one second, the probe, and the client's close. */
export async function runLegacy(world: World, input: Int16Array, session: WireEvent = LEGACY_SESSION): Promise<Client> {
  const client = await openSession(world, session)
  const endUs = sendPackets(world, client, input)
  world.clock.at(endUs + 1_000_000, () => {
    client.onEvent = (event) => {
      if (event.type === 'session.updated') client.hangUp()
    }
    client.send({ type: 'session.update', session: {} })
  })
  await world.clock.runUntil(endUs + 10_000_000)
  return client
}

export function verdictOf(world: World, client: Client) {
  return judgeSession({
    profile: world.profile,
    lines: client.trace.map((line, index) => parseTraceLine(JSON.stringify(line), index + 1)),
    admissionRetryLimit: 3,
  })
}

/** Types in order, without receipts, and with a run of one type as one. */
export function story(client: Client): string[] {
  const RECEIPTS = ['sglang.input_audio.accepted', 'sglang.unit.done', 'session.created', 'session.updated']
  const types = client.types().filter((type) => !RECEIPTS.includes(type))
  return types.filter((type, index) => type !== types[index - 1])
}

/** Milliseconds from the first packet to the receipt of the `index`-th event of a type. */
export function receivedAtMs(client: Client, type: string, index = 0): number {
  const first = client.trace.find((line) => line.event.type === 'input_audio_buffer.append')
  const events = client.received.flatMap((event, at) => (event.type === type ? [client.receivedAtUs[at] ?? 0] : []))
  return (events[index] ?? Number.NaN) / 1000 - (first?.time_s ?? 0) * 1000
}

/** As the metrics define it, from receipts: undefined for a reply with one delta. */
export function rtfOf(client: Client, type: string, responseId: string): number | undefined {
  const deltas = client.received.flatMap((event, at) =>
    event.type === type && event.response_id === responseId
      ? [{ atUs: client.receivedAtUs[at] ?? 0, bytes: Buffer.from(event.delta, 'base64').length }]
      : [],
  )
  const [first, last] = [deltas[0], deltas.at(-1)]
  if (first === undefined || last === undefined || deltas.length < 2) return undefined
  const samples = deltas.slice(0, -1).reduce((sum, { bytes }) => sum + bytes / 2, 0)
  return (last.atUs - first.atUs) / ((samples * 1_000_000) / 24_000)
}
