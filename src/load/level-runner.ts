/**
 * Runs the sessions of one level under a start policy: which session begins when, and when the level is over. Knows
 * nothing of sockets or files; a failed session is an ordinary end, and the level goes on.
 */
import type { Cancel, Clock, DurationUs, InstantUs } from '../base/clock.js'
import type { StartPolicy } from '../profile/sweep-file.js'
import type { SessionRunner, SessionRunnerOptions } from './session-runner.js'
import { poissonArrivalsUs, spreadOffsetUs } from './start-policy.js'

export type CreateRunner = (
  sessionIndex: number,
  hooks: Pick<SessionRunnerOptions, 'requestStart' | 'onEnd'>,
) => SessionRunner

export interface LevelRunnerOptions {
  readonly clock: Clock
  readonly policy: StartPolicy
  readonly concurrency: number
  /** How many sessions the level runs in all. */
  readonly sessions: number
  readonly packetUs: DurationUs
  /** Time between admission and the first packet, so that the schedule is fixed before the first send. */
  readonly leadUs: DurationUs
  readonly seed: string
  /** For `poisson`: mean time that a session is expected to stay open. */
  readonly meanSessionUs: DurationUs
  readonly createRunner: CreateRunner
}

export class LevelRunner {
  readonly #options: LevelRunnerOptions
  readonly #running = new Map<number, SessionRunner>()
  /** Pending arrivals of the `poisson` policy. */
  readonly #arrivals: Cancel[] = []
  #nextSession = 0
  #ended = 0
  #isLeaving = false
  #finish: () => void = () => undefined
  #wave: Wave | undefined

  constructor(options: LevelRunnerOptions) {
    this.#options = options
  }

  get openSessions(): number {
    return this.#running.size
  }

  get endedSessions(): number {
    return this.#ended
  }

  /** Runs the level; resolves when its last session has ended. */
  run(): Promise<void> {
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
    while (this.#running.size < this.#options.concurrency && this.#canBegin()) this.#begin()
  }

  #scheduleArrivals(): void {
    const { clock, sessions, concurrency, meanSessionUs, seed } = this.#options
    const beganAtUs = clock.nowUs()
    for (const offsetUs of poissonArrivalsUs({ sessions, concurrency, meanSessionUs, seed })) {
      this.#arrivals.push(
        clock.at(beganAtUs + offsetUs, () => {
          if (this.#canBegin()) this.#begin()
        }),
      )
    }
  }

  #beginWave(): void {
    const { concurrency, sessions } = this.#options
    const size = Math.min(concurrency, sessions - this.#nextSession)
    this.#wave = new Wave(this.#options, size)
    for (let index = 0; index < size && this.#canBegin(); index += 1) this.#begin(this.#wave)
  }

  #canBegin(): boolean {
    return !this.#isLeaving && this.#nextSession < this.#options.sessions
  }

  #begin(wave?: Wave): void {
    const index = this.#nextSession
    this.#nextSession += 1
    const runner = this.#options.createRunner(index, {
      requestStart: (start) => {
        if (wave !== undefined) wave.join(index, start)
        else start(this.#options.clock.nowUs() + this.#options.leadUs)
      },
      onEnd: () => this.#onEnd(index, wave),
    })
    this.#running.set(index, runner)
    runner.begin()
  }

  #onEnd(index: number, wave: Wave | undefined): void {
    this.#running.delete(index)
    this.#ended += 1
    wave?.gone(index)
    if (this.#finishIfOver()) return
    if (this.#options.policy === 'pool') this.#fillPool()
    else if (this.#running.size === 0 && this.#options.policy !== 'poisson' && this.#canBegin()) this.#beginWave()
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
  readonly #options: LevelRunnerOptions
  readonly #waiting = new Map<number, (startAtUs: InstantUs) => void>()
  readonly #gone = new Set<number>()
  readonly #size: number

  constructor(options: LevelRunnerOptions, size: number) {
    this.#options = options
    this.#size = size
  }

  join(index: number, start: (startAtUs: InstantUs) => void): void {
    this.#waiting.set(index, start)
    this.#startIfComplete()
  }

  /** A session ended, before or after the start. */
  gone(index: number): void {
    this.#waiting.delete(index)
    this.#gone.add(index)
    this.#startIfComplete()
  }

  #startIfComplete(): void {
    if (this.#waiting.size === 0 || this.#waiting.size + this.#gone.size < this.#size) return
    const { clock, leadUs, policy, packetUs } = this.#options
    const startAtUs = clock.nowUs() + leadUs
    const starts = [...this.#waiting.entries()].sort(([a], [b]) => a - b)
    this.#waiting.clear()
    starts.forEach(([, start], position) => {
      start(startAtUs + (policy === 'spread' ? spreadOffsetUs(position, starts.length, packetUs) : 0))
    })
  }
}
