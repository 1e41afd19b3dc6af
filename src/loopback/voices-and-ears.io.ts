/** What the loopback loads from disk: the replies it speaks and the detector it listens with. */
import { builtInReplies } from '../speech/clips.io.js'
import { loadSpeechDetector } from '../speech/detector.io.js'
import type { Reply } from './conversation.js'
import { energyListener } from './energy-listener.js'
import type { ListenerFactory } from './hearing.js'
import type { LoopbackOptions } from './options.js'
import { speechListeners } from './speech-listener.js'

export async function loadReplies(outputRateHz: number): Promise<readonly Reply[]> {
  return builtInReplies(outputRateHz)
}

export async function loadListeners(listen: LoopbackOptions['listen']): Promise<ListenerFactory> {
  return listen === 'energy' ? energyListener : speechListeners(await loadSpeechDetector())
}
