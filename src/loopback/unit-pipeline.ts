/**
 * The units of one session between cut and published. A unit goes to the accelerator and to the listener at the same
 * moment; it is ready when both have answered and every earlier unit was ready. So a listener hides behind the accelerator,
 * and what it answers never depends on which of the two was faster.
 */
import type { Accelerator } from './accelerator.js'
import type { Heard, UnitListener } from './hearing.js'
import type { CutUnit } from './input-buffer.js'

export interface UnitPipelineParts {
  readonly sessionId: string
  readonly accelerator: Accelerator
  readonly listener: UnitListener
  /** Called for each unit, in order; `clear` may be called from inside. */
  readonly onReady: (unit: CutUnit, heard: Heard) => void
  readonly onAcceleratorFailed: (code: string) => void
  readonly onListenerFailed: (problem: unknown) => void
}

interface UnitInFlight {
  readonly cut: CutUnit
  heard: Heard | undefined
  isComputed: boolean
}

export class UnitPipeline {
  readonly #parts: UnitPipelineParts
  #inFlight: UnitInFlight[] = []

  constructor(parts: UnitPipelineParts) {
    this.#parts = parts
  }

  get isEmpty(): boolean {
    return this.#inFlight.length === 0
  }

  submit(cut: CutUnit): void {
    const { accelerator, listener, sessionId, onAcceleratorFailed, onListenerFailed } = this.#parts
    const unit: UnitInFlight = { cut, heard: undefined, isComputed: false }
    this.#inFlight.push(unit)
    accelerator.submit({
      sessionId,
      onDone: () => {
        unit.isComputed = true
        this.#takeReady()
      },
      onFailed: onAcceleratorFailed,
    })
    const heard = listener.hear(cut.pcm)
    if (!(heard instanceof Promise)) {
      unit.heard = heard
      return
    }
    heard.then((value) => {
      unit.heard = value
      this.#takeReady()
    }, onListenerFailed)
  }

  /** Forgets everything; no unit becomes ready any more. */
  clear(): void {
    this.#inFlight = []
    this.#parts.accelerator.cancelSession(this.#parts.sessionId)
  }

  #takeReady(): void {
    for (;;) {
      const unit = this.#inFlight[0]
      if (unit?.heard === undefined || !unit.isComputed) return
      this.#inFlight.shift()
      this.#parts.onReady(unit.cut, unit.heard)
    }
  }
}
