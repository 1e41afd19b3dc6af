/**
 * What the users of the labelled built-in speech say, and when: docs/inputs.md, "Built-in turns". Changing a line changes
 * the stimuli, and so what is measured. Times are in ms; "phase" is the time after a whole second of the clip.
 */
import type { Voice } from './voice.js'

/** A sentence with pauses in it: a pause, with its length, stands between each two of the phrases. */
export interface PauseScript {
  readonly voice: Voice
  readonly phrases: readonly string[]
  /** One less than there are phrases. */
  readonly pausesMs: readonly number[]
  /** How much of the first pause lies before the whole second that is in it. */
  readonly beforeSecondMs: number
  /** Silence between the last word and the end: too short for an answer that would count as an intrusion. */
  readonly tailMs: number
}

export const PAUSE_SCRIPTS: readonly PauseScript[] = [
  pauses('slt', ['Ask them if', 'they still have the blue one', 'in my size.'], [660, 640], 520, 180),
  pauses('rms', ['I would like', 'a room with a view of the sea', 'for two nights.'], [610, 650], 560, 210),
  pauses('awb', ['If it rains', 'tomorrow we stay at home', 'and watch a film.'], [630, 650], 560, 240),
  pauses('slt', ['Remind me to', 'buy a present for my aunt.'], [640], 540, 190),
  pauses('rms', ['I was about to', 'leave when the phone rang.'], [670], 580, 160),
  pauses('awb', ['Maybe we could', 'meet before the film begins.'], [620], 530, 230),
  pauses('slt', ['Tell me whether', 'the museum is closed today.'], [650], 600, 170),
  pauses('rms', ['What I mean is that', 'it works without a battery.'], [630], 550, 220),
  pauses('awb', ['Is it true that', 'penguins can not fly at all?'], [670], 570, 200),
  pauses('slt', ['My brother and I were', 'going to paint the kitchen.'], [610], 520, 150),
  pauses('rms', ['Please send the', 'report to everyone by noon.'], [640], 590, 210),
  pauses('awb', ['We could maybe', 'sell the old car this summer.'], [660], 540, 180),
]

/** A question, and silence for the answer. */
export interface TurnEndScript {
  readonly voice: Voice
  readonly text: string
  /** Of the end of the turn. */
  readonly endPhaseMs: number
}

export const TURN_END_SCRIPTS: readonly TurnEndScript[] = [
  { voice: 'slt', text: 'Which bus goes to the harbour?', endPhaseMs: 60 },
  { voice: 'rms', text: 'Who painted the ceiling of that chapel?', endPhaseMs: 80 },
  { voice: 'awb', text: 'How long should I boil an egg?', endPhaseMs: 100 },
  { voice: 'slt', text: 'When does the library close on Friday?', endPhaseMs: 120 },
  { voice: 'rms', text: 'Where can I park near the old market?', endPhaseMs: 50 },
  { voice: 'awb', text: 'Do I need an umbrella this afternoon?', endPhaseMs: 70 },
  { voice: 'slt', text: 'Could you book a table for four people?', endPhaseMs: 90 },
  { voice: 'rms', text: 'How much does the big one cost?', endPhaseMs: 110 },
  { voice: 'awb', text: 'What is the tallest mountain in Japan?', endPhaseMs: 130 },
  { voice: 'slt', text: 'What do I need for a good onion soup?', endPhaseMs: 50 },
  { voice: 'rms', text: 'Is there a pharmacy open near the station?', endPhaseMs: 75 },
  { voice: 'awb', text: 'Why do cats purr when they are asleep?', endPhaseMs: 115 },
]

/** A question, silence in which it is being answered, and another request into the answer. */
export interface InterruptionScript {
  readonly voice: Voice
  readonly question: string
  readonly interruption: string
  /** Of the question's end. */
  readonly questionPhaseMs: number
  /** Of the interruption's end. */
  readonly endPhaseMs: number
}

export const INTERRUPTION_SCRIPTS: readonly InterruptionScript[] = [
  interruption('slt', 'Is it raining?', 'Can I get there by bus?', 60, 110),
  interruption('rms', 'What is the date?', 'And what about next week?', 80, 130),
  interruption('awb', 'Can you hear me?', 'Could you say that in German?', 100, 60),
  interruption('slt', 'Who wrote Hamlet?', 'Tell me about the other one.', 120, 80),
  interruption('rms', 'Call my mother.', 'Stop and read me the news.', 50, 100),
  interruption('awb', 'How are you today?', 'Forget it and call a taxi.', 70, 120),
  interruption('slt', 'What time is it?', 'But is it open on Sunday?', 90, 50),
  interruption('rms', 'Is it open?', 'Can I get there by bus?', 110, 70),
  interruption('awb', 'Read the news.', 'I only want the last one.', 130, 90),
  interruption('slt', 'What day is it?', 'Can you start from the end?', 55, 115),
  interruption('rms', 'Is it windy?', 'I meant the one in Paris.', 85, 75),
  interruption('awb', 'Tell me more.', 'Tell me about the other one.', 105, 65),
]

function pauses(
  voice: Voice,
  phrases: readonly string[],
  pausesMs: readonly number[],
  beforeSecondMs: number,
  tailMs: number,
): PauseScript {
  return { voice, phrases, pausesMs, beforeSecondMs, tailMs }
}

function interruption(
  voice: Voice,
  question: string,
  words: string,
  questionPhaseMs: number,
  endPhaseMs: number,
): InterruptionScript {
  return { voice, question, interruption: words, questionPhaseMs, endPhaseMs }
}
