/** What every figure of the page means, in a sentence or two: shown where a term stands, and listed whole at the end. */
import { html, type Markup } from './markup.js'

const UNIT_READY =
  'A unit is ready when the packet with its last sample has been handed to the transport; a short last unit at the end of the input.'

/** By key, in the order of the list. */
const TERMS = {
  capacity: [
    'capacity',
    'The highest concurrency below the first level that does not meet its targets. Exact: the level above misses. At least: nothing above misses, or the level above is invalid.',
  ],
  concurrency: ['concurrency', 'Sessions requested at once. A name such as 8 r2 is the second run of that level.'],
  meets: [
    'meets targets',
    'The level is valid, no session failed or was denied, and its unit miss rate (native) or RTF p90 (turn-based) keeps its target.',
  ],
  invalid: [
    'invalid',
    'The load generator broke its own schedule, no session was attempted, or the recording was not finished. Such a level did not measure the server: it neither meets nor misses.',
  ],
  unit: ['unit', 'The model’s native step of audio. Every unit of input is due an answer within one unit length.'],
  miss: [
    'unit miss',
    'Units whose lag is above one unit length, units that never finished, and every unit of a failed or denied session, of all units expected.',
  ],
  bounds: [
    '95% bounds',
    'Two one-sided 95% Clopper-Pearson bounds of the unit miss rate. Units of one session fail together, so they count for less than their number (design effect).',
  ],
  design: [
    'design effect',
    'By how much the number of units is divided before the bounds are taken: 1 when misses are spread evenly over sessions, more when they gather in a few.',
  ],
  confident: [
    'confident verdict',
    'qualified: the upper bound keeps the target. failed: the lower bound is above it. inconclusive: neither is shown.',
  ],
  settle: [
    'sessions to settle',
    'Further sessions at this miss rate after which the verdict would no longer be inconclusive.',
  ],
  lag: [
    'unit lag',
    `Receipt of sglang.unit.done minus the moment the unit was ready, of all sessions, failed ones included. ${UNIT_READY}`,
  ],
  speak: ['speak unit', 'A unit for which audio or text arrived; all others are listen units.'],
  firstAudio: [
    'first audio',
    'Receipt of a reply’s first audio. Native: from the moment the unit that carried it was ready. Turn-based: from response.created.',
  ],
  buffer: [
    'buffer needed',
    'The smallest start-up buffer with which a reply plays without a gap. It depends on no setting.',
  ],
  underrun: ['underrun reply', 'A reply that needs more buffer than the playback reserve.'],
  pause: [
    'pauses',
    'Times a player that starts one reserve after the first audio runs empty before more arrives, and their total length.',
  ],
  reserve: ['playback reserve', 'How long a player is taken to wait after the first audio before it starts.'],
  rtf: [
    'RTF',
    'Real-time factor of a reply: time from its first to its last audio, over the length of the audio before the last piece. Below 1 it comes faster than it plays.',
  ],
  sessions: [
    'sessions ok',
    'Sessions that kept the protocol and sent their whole input, of those attempted. Failed and denied sessions stay in every denominator.',
  ],
  denied: ['denied', 'Refused admission. Refusals that a retry got past stand in brackets.'],
  meanOpen: ['mean open', 'Time average of open sessions.'],
  peak: ['peak full', 'Most sessions inside their whole input at one instant.'],
  pacing: [
    'pacing violations',
    'Sessions with a packet more than 80 ms off its schedule. They make the level invalid.',
  ],
  lateness: [
    'send lateness',
    'Start of a packet’s send minus the time it was due. Packets are never sent before they are due, and the schedule never moves.',
  ],
  lateSends: ['sends over 20 ms late', 'Share of packets with a send lateness above 20 ms. It decides nothing.'],
  stall: [
    'client stall',
    'By how much a wake-up of a sender came late: while it stalls, receipts may be stamped late.',
  ],
  receiveDelay: [
    'receive delay',
    'By how much a sending process reads late what has arrived, measured by a probe that it sends to itself.',
  ],
  gcPause: ['GC pause', 'How long the garbage collector of a sending process stopped it.'],
  uncertain: ['uncertain misses', 'Missed units that a stall of the client could explain. They stay misses.'],
  percentile: [
    'percentile',
    'Interpolated linearly between the sorted values at position q (n - 1), over all values of the level, never averaged over sessions or runs.',
  ],
  plays: ['replies that play', 'Share of a level’s replies whose buffer needed is at most the chosen start-up buffer.'],
  quality: [
    'conversation quality',
    'Turn-taking scores of the same recordings, with 95% intervals. Scores from different word sources do not compare.',
  ],
  verdict: [
    'against the lowest level',
    'holds: worse than the lowest level by no more than the margins, at 95%. worse: by more. open: too few samples to say.',
  ],
  start: [
    'start policy',
    'How sessions begin. It changes the load that a server sees; levels under different policies do not compare.',
  ],
  inputs: [
    'recordings',
    'SHA-256 over the names and contents of all session files of the level and the client’s record of itself.',
  ],
} as const satisfies Readonly<Record<string, readonly [string, string]>>

export type TermKey = keyof typeof TERMS

/** The term as a link to its definition, which is also its tooltip. */
export function term(key: TermKey, shown?: string): Markup {
  const [name, definition] = TERMS[key]
  return html`<a class="term" href="#def-${key}" title="${definition}">${shown ?? name}</a>`
}

export function glossary(): Markup {
  return html`<section id="definitions" aria-labelledby="definitions-title">
<h2 id="definitions-title">Definitions</h2>
<p class="note">In full in docs/metrics.md. Times are what the client saw: they include the network to the server and leave out the player and the acoustics.</p>
<dl class="glossary">
${(Object.keys(TERMS) as TermKey[]).map((key) => html`<div id="def-${key}"><dt>${TERMS[key][0]}</dt><dd>${TERMS[key][1]}</dd></div>\n`)}</dl>
</section>`
}
