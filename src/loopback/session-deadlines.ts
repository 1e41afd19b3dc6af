/** The two deadlines that a client can miss: the first `session.update`, and any event at all from then on. */
import type { Cancel, Clock, InstantUs } from '../base/clock.js'
import { usFromSeconds } from '../base/clock.js'

export interface SessionDeadlineSettings {
  readonly clock: Clock
  readonly sessionUpdateTimeoutS: number
  readonly idleTimeoutS: number
  readonly onMissed: (code: 'session_update_timeout' | 'idle_timeout') => void
}

export class SessionDeadlines {
  readonly #settings: SessionDeadlineSettings
  #lastEventAtUs: InstantUs
  #cancel: Cancel

  /** Counts from here: the moment of connecting. */
  constructor(settings: SessionDeadlineSettings) {
    this.#settings = settings
    const { clock, sessionUpdateTimeoutS, onMissed } = settings
    this.#lastEventAtUs = clock.nowUs()
    const dueAtUs = this.#lastEventAtUs + usFromSeconds(sessionUpdateTimeoutS)
    this.#cancel = clock.at(dueAtUs, () => onMissed('session_update_timeout'))
  }

  /** The first update came: from now on only idleness counts. */
  updateReceived(): void {
    this.#cancel()
    this.#watchIdleness()
  }

  eventReceived(): void {
    this.#lastEventAtUs = this.#settings.clock.nowUs()
  }

  stop(): void {
    this.#cancel()
  }

  // One wake-up per idle period, not one per event: when it comes, the events since then tell whether it is time.
  #watchIdleness(): void {
    const { clock, idleTimeoutS, onMissed } = this.#settings
    const dueAtUs = this.#lastEventAtUs + usFromSeconds(idleTimeoutS)
    this.#cancel = clock.at(dueAtUs, () => {
      if (clock.nowUs() < this.#lastEventAtUs + usFromSeconds(idleTimeoutS)) this.#watchIdleness()
      else onMissed('idle_timeout')
    })
  }
}
