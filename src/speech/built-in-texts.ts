/** What the built-in users and the built-in server say. Changing a line changes the stimuli, and so what is measured. */
import type { Voice } from './voice.js'

export interface ClipScript {
  readonly id: string
  readonly voice: Voice
  readonly text: string
  /** Silence after the words, in which the server may answer. */
  readonly tailMs: number
  /** Lengthen the silence until the clip is a whole number of seconds, so that its last packet and unit are full ones. */
  readonly isWholeSeconds?: true
}

/** Requests of 3 to 14 words. The tails differ so that the clips end anywhere within a packet and a unit. */
export const CLIP_SCRIPTS: readonly ClipScript[] = [
  { id: 'slt-01', voice: 'slt', text: 'Hi there, can you hear me all right?', tailMs: 1510 },
  {
    id: 'rms-01',
    voice: 'rms',
    text: "What's the weather going to be like this weekend?",
    tailMs: 1730,
    isWholeSeconds: true,
  },
  { id: 'awb-01', voice: 'awb', text: 'Set a timer for twelve minutes, please.', tailMs: 1990 },
  { id: 'slt-02', voice: 'slt', text: 'I need a train to the coast that leaves after lunch tomorrow.', tailMs: 1670 },
  { id: 'rms-02', voice: 'rms', text: 'How do I get coffee out of a white shirt?', tailMs: 2110 },
  { id: 'awb-02', voice: 'awb', text: 'Tell me a short story about a fox and a lighthouse.', tailMs: 1570 },
  { id: 'slt-03', voice: 'slt', text: 'Thanks, that helps.', tailMs: 1830 },
  {
    id: 'rms-03',
    voice: 'rms',
    text: 'Could you move my dentist appointment from Tuesday to some time next week?',
    tailMs: 1610,
  },
  { id: 'awb-03', voice: 'awb', text: 'Is the museum still open this late?', tailMs: 2170 },
  { id: 'slt-04', voice: 'slt', text: 'Remind me to call my sister when I get home tonight.', tailMs: 1790 },
  { id: 'rms-04', voice: 'rms', text: 'Wait, say that again more slowly.', tailMs: 1530 },
  { id: 'awb-04', voice: 'awb', text: 'Which of these two laptops has the longer battery life?', tailMs: 1930 },
  { id: 'slt-05', voice: 'slt', text: 'What can I cook with rice, two eggs and an old carrot?', tailMs: 2050 },
  { id: 'rms-05', voice: 'rms', text: 'Turn the music down a little, would you?', tailMs: 1690 },
  {
    id: 'awb-05',
    voice: 'awb',
    text: 'Explain why the sky turns red in the evening, as if I were seven.',
    tailMs: 1870,
    isWholeSeconds: true,
  },
  { id: 'slt-06', voice: 'slt', text: 'Who won the match last night?', tailMs: 1550 },
  {
    id: 'rms-06',
    voice: 'rms',
    text: 'My flight was cancelled, so please find me another one before noon.',
    tailMs: 2010,
  },
  { id: 'awb-06', voice: 'awb', text: 'No, the other one.', tailMs: 1750 },
]

export interface ReplyScript {
  readonly voice: Voice
  readonly text: string
}

/** Answers of 2 to 7 seconds that fit any of the requests well enough; one voice, as a server has. */
export const REPLY_SCRIPTS: readonly ReplyScript[] = [
  { voice: 'slt', text: 'Sure, I can help you with that. Give me just a moment.' },
  { voice: 'slt', text: 'Good question. The short answer is yes, but it depends a little on the day.' },
  { voice: 'slt', text: 'All right, that is done. Would you like anything else?' },
  { voice: 'slt', text: 'I found three options. The first one leaves at ten past two and takes about an hour.' },
  { voice: 'slt', text: 'Yes, I can hear you loud and clear this morning.' },
  { voice: 'slt', text: 'It looks mild and mostly dry, with a few clouds towards Sunday evening.' },
  { voice: 'slt', text: 'Of course. Start with cold water, add a drop of soap, and let it rest before you rinse it.' },
  { voice: 'slt', text: 'I am not certain about that one, so let me check before I tell you something wrong.' },
  { voice: 'slt', text: 'Happy to help, and have a lovely day.' },
  { voice: 'slt', text: 'Once upon a time, a small fox kept the lamp burning while the keeper was asleep.' },
]
