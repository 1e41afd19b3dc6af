/**
 * Runs one sender's sessions of a level under a start policy: which session begins when, and when the share is over. Knows
 * nothing of sockets, files or other senders; a failed session is an ordinary end, and the level goes on.
 */
import type { Cancel, Clock, DurationUs, InstantUs } from '../base/clock.js'
import type { Phases, StartPolicy } from '../profile/sweep-file.js'
import { phaseUs, startOnGrid } from './phase.js'
import type { SessionRunner, SessionRunnerOptions } from './session-runner.js'
import { isWaves } from './start-policy.js'

export type CreateRunner = (
  sessionIndex: number,
  hooks: Pick<SessionRunnerOptions, 'requestStart' | 'onEnd'>,
) => SessionRunner

/** Where waves wait for each other; waves are numbered from 0. */
export interface WaveGate {
  /** All sessions of the wave are admitted or over: `start` takes the wave's common start. */
  waiting(wave: number, start: (startAtUs: InstantUs) => void): void
  /** All sessions of the wave are over, and there are more: `begin` begins the next wave. */
  over(wave: number, begin: () => void): void
}

/** Of a sender that is the only one. */
export function ownGate(clock: Clock, leadUs: DurationUs): WaveGate {
  return {
    waiting: (_wave, start) => start(clock.nowUs() + leadUs),
    over: (_wave, begin) => begin(),
  }
}

export interface LevelRunnerOptions {
  readonly clock: Clock
  readonly policy: StartPolicy
  readonly phases: Phases
  /** Sessions that the whole level holds open at once. */
  readonly concurrency: number
  /** This sender's slots are `sender`, `sender + senders`, …: so many of them. */
  readonly sender: number
  readonly senders: number
  readonly slots: number
  /** How many sessions this sender runs in all. */
  readonly sessions: number
  readonly packetUs: DurationUs
  /** Time between admission and the first packet, so that the schedule is fixed before the first send. */
  readonly leadUs: DurationUs
  /** For `poisson`: when each session begins, from the start of the level. */
  readonly arrivalsUs: readonly DurationUs[]
  readonly gate: WaveGate
  readonly createRunner: CreateRunner
}

export class LevelRunner {
  readonly #options: LevelRunnerOptions
  readonly #running = new Map<number, SessionRunner>()
  /** Pending arrivals of the `poisson` policy. */
  readonly #arrivals: Cancel[] = []
  /** Slots in use, by their number among this sender's own. */
  readonly #usedSlots = new Set<number>()
  #epochUs: InstantUs = 0
  #nextSession = 0
  #ended = 0
  #isLeaving = false
  #finish: () => void = () => undefined
  #wave: Wave | undefined
  #waves = 0

  constructor(options: LevelRunnerOptions) {
    this.#options = options
  }

  get openSessions(): number {
    return this.#running.size
  }

  get endedSessions(): number {
    return this.#ended
  }

  /**
   * Runs the sessions; resolves when the last one has ended.
   * @param epochUs start of the level, the same for all its senders
   */
  run(epochUs: InstantUs): Promise<void> {
    this.#epochUs = epochUs
    return new Promise((resolve) => {
      this.#finish = resolve
      if (this.#options.sessions === 0 || this.#isLeaving) resolve()
      else if (this.#options.policy === 'pool') this.#fillPool()
      else if (this.#options.policy === 'poisson') this.#scheduleArrivals()
      else this.#beginWave()
    })
  }

  /** Begins no further session and lets the running ones leave. */
  leave(message: string): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    for (const cancel of this.#arrivals) cancel()
    for (const runner of [...this.#running.values()]) runner.leave(message)
    this.#finishIfOver()
  }

  #fillPool(): void {
    while (this.#running.size < this.#options.slots && this.#canBegin()) this.#begin()
  }

  #scheduleArrivals(): void {
    const { clock, arrivalsUs } = this.#options
    for (const offsetUs of arrivalsUs) {
      this.#arrivals.push(
        clock.at(this.#epochUs + offsetUs, () => {
          if (this.#canBegin()) this.#begin()
        }),
      )
    }
  }

  #beginWave(): void {
    const { slots, sessions, gate } = this.#options
    const size = Math.min(slots, sessions - this.#nextSession)
    const number = this.#waves
    this.#waves += 1
    const wave = new Wave(size, () =>
      gate.waiting(number, (startAtUs) => wave.start((slot) => startAtUs + phaseUs(this.#options, slot))),
    )
    this.#wave = wave
    for (let index = 0; index < size && this.#canBegin(); index += 1) this.#begin(wave)
  }

  #canBegin(): boolean {
    return !this.#isLeaving && this.#nextSession < this.#options.sessions
  }

  #begin(wave?: Wave): void {
    const index = this.#nextSession
    this.#nextSession += 1
    const ownSlot = this.#takeSlot()
    const slot = this.#options.sender + ownSlot * this.#options.senders
    const runner = this.#options.createRunner(index, {
      requestStart: (start) => {
        if (wave === undefined) start(this.#startAt(slot))
        else wave.join(slot, start)
      },
      onEnd: () => {
        this.#usedSlots.delete(ownSlot)
        this.#onEnd(index, slot, wave)
      },
    })
    this.#running.set(index, runner)
    runner.begin()
  }

  #startAt(slot: number): InstantUs {
    const { clock, leadUs } = this.#options
    return startOnGrid({ ...this.#options, epochUs: this.#epochUs }, slot, clock.nowUs() + leadUs)
  }

  /** The lowest that is free. */
  #takeSlot(): number {
    let slot = 0
    while (this.#usedSlots.has(slot)) slot += 1
    this.#usedSlots.add(slot)
    return slot
  }

  #onEnd(index: number, slot: number, wave: Wave | undefined): void {
    this.#running.delete(index)
    this.#ended += 1
    wave?.gone(slot)
    if (this.#finishIfOver()) return
    if (this.#options.policy === 'pool') this.#fillPool()
    else if (wave?.isOver && wave === this.#wave && isWaves(this.#options.policy) && this.#canBegin()) {
      this.#options.gate.over(this.#waves - 1, () => {
        if (this.#canBegin()) this.#beginWave()
      })
    }
  }

  #finishIfOver(): boolean {
    const begun = this.#nextSession
    const isOver = this.#isLeaving ? this.#running.size === 0 : this.#ended === this.#options.sessions
    if (isOver && this.#ended === begun) this.#finish()
    return isOver
  }
}

/** A barrier: sessions wait until every session of the wave has been admitted or has ended, then start together. */
class Wave {
  readonly #waiting = new Map<number, (startAtUs: InstantUs) => void>()
  readonly #gone = new Set<number>()
  readonly #size: number
  readonly #onComplete: () => void
  #isComplete = false

  constructor(size: number, onComplete: () => void) {
    this.#size = size
    this.#onComplete = onComplete
  }

  get isOver(): boolean {
    return this.#gone.size === this.#size
  }

  join(slot: number, start: (startAtUs: InstantUs) => void): void {
    this.#waiting.set(slot, start)
    this.#look()
  }

  /** A session ended, before or after the start. */
  gone(slot: number): void {
    this.#waiting.delete(slot)
    this.#gone.add(slot)
    this.#look()
  }

  start(startOf: (slot: number) => InstantUs): void {
    const starts = [...this.#waiting].sort(([a], [b]) => a - b)
    this.#waiting.clear()
    for (const [slot, start] of starts) start(startOf(slot))
  }

  #look(): void {
    if (this.#isComplete || this.#waiting.size + this.#gone.size < this.#size) return
    this.#isComplete = true
    this.#onComplete()
  }
}
