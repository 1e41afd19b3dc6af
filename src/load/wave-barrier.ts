/**
 * Waves of a level over several senders: a wave starts when every sender's part of it waits, and the next begins when
 * every part has ended. A sender that is gone is not waited for. Pure.
 */

export interface WaveBarrierEvents {
  /** Every part of the wave waits: give it one start. */
  onComplete(wave: number, senders: readonly number[]): void
  /** The wave before has ended: the next can begin. */
  onNext(wave: number, senders: readonly number[]): void
}

export class WaveBarrier {
  readonly #events: WaveBarrierEvents
  /** Waves of each sender that is still there. */
  readonly #waves: Map<number, number>
  readonly #waiting = new Set<number>()
  readonly #over = new Set<number>()
  #wave = 0
  #isStarted = false

  /** @param waves how many waves each sender has a part in, by its number */
  constructor(waves: ReadonlyMap<number, number>, events: WaveBarrierEvents) {
    this.#waves = new Map(waves)
    this.#events = events
  }

  waiting(sender: number, wave: number): void {
    if (wave !== this.#wave) return
    this.#waiting.add(sender)
    this.#look()
  }

  over(sender: number, wave: number): void {
    if (wave !== this.#wave) return
    this.#over.add(sender)
    this.#look()
  }

  /** A sender has ended, for good or not. */
  gone(sender: number): void {
    this.#waves.delete(sender)
    this.#look()
  }

  #look(): void {
    const members = this.#members()
    if (members.length === 0) return
    if (!this.#isStarted && members.every((sender) => this.#waiting.has(sender))) {
      this.#isStarted = true
      this.#events.onComplete(this.#wave, members)
    }
    if (!members.every((sender) => this.#over.has(sender))) return
    this.#wave += 1
    this.#isStarted = false
    this.#waiting.clear()
    this.#over.clear()
    const next = this.#members()
    if (next.length > 0) this.#events.onNext(this.#wave, next)
  }

  #members(): number[] {
    return [...this.#waves].filter(([, waves]) => waves > this.#wave).map(([sender]) => sender)
  }
}
