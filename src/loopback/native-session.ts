/** A native model behind the session protocol: it listens and speaks in units, and decides itself when it speaks. */
import { messageOf } from '../base/errors.js'
import { deploymentOf } from './deployment.js'
import type { Heard } from './hearing.js'
import type { CutUnit } from './input-buffer.js'
import { converseNatively, type NativeConversation } from './native-conversation.js'
import { ImageIntake } from './native-images.js'
import { ProtocolSession } from './protocol-session.js'
import { type Refusal, refuse } from './refusal.js'
import { type ResponseEnd, ResponseWriter, type UnitOutput } from './response-writer.js'
import type { LoopbackSession, LoopbackSessionParts } from './session.js'
import { OUT_OF_MEMORY_MESSAGE, type SessionHost, type SessionModel } from './session-model.js'
import type { SessionConfig } from './session-update.js'
import { UnitPipeline } from './unit-pipeline.js'

export function createNativeSession(parts: LoopbackSessionParts): LoopbackSession {
  return new ProtocolSession(parts, deploymentOf(parts.profile, parts.options), (host) => new NativeModel(host))
}

/** The empty unit at the end of an input needs no computing and skips the accelerator. */
class NativeModel implements SessionModel {
  readonly #host: SessionHost
  readonly #writer: ResponseWriter
  readonly #images: ImageIntake
  readonly #units: UnitPipeline
  #conversation: NativeConversation | undefined

  constructor(host: SessionHost) {
    const { parts, deployment, events } = host
    this.#host = host
    this.#writer = new ResponseWriter(deployment, events)
    this.#images = new ImageIntake(deployment)
    this.#units = new UnitPipeline({
      sessionId: parts.id,
      accelerator: parts.accelerator,
      listener: parts.listeners(deployment.inputRateHz),
      onReady: (unit, heard) => this.#publish(unit, heard),
      onAcceleratorFailed: (code) => host.fail(code, OUT_OF_MEMORY_MESSAGE),
      onListenerFailed: (problem) => host.fail('internal', `the listener failed: ${messageOf(problem)}`),
    })
  }

  configure(config: SessionConfig): undefined {
    this.#conversation ??= converseNatively(this.#host.parts, this.#host.deployment, config)
    this.#writer.outputModalities = config.outputModalities
  }

  /** Units are what a native model hears. */
  hear(): void {}

  takeUnit(unit: CutUnit): void {
    this.#units.submit(unit)
  }

  takeImage(image: string, tMs: number): number | Refusal {
    return this.#images.accept({ image, tMs, unitsCut: this.#host.input.unitsCut })
  }

  commit(): Refusal {
    return refuse(
      'not_applicable',
      'input_audio_buffer.commit does not apply to a model that decides itself when it speaks',
      'type',
    )
  }

  cancelResponse(): Refusal | undefined {
    if (!this.#host.deployment.canCancel) return refuse('not_supported', 'response.cancel was not granted', 'type')
    // Without a reply in progress, and a second time, it has no effect and is no error.
    if (this.#writer.isOpen) this.#conversation?.interrupt()
    return undefined
  }

  truncate({ itemId }: { readonly itemId: string }): Refusal | undefined {
    if (!this.#host.deployment.canTruncate) return refuse('not_supported', 'truncate was not granted', 'type')
    if (!this.#writer.hasItem(itemId)) return refuse('item_not_found', `there is no item ${itemId}`, 'item_id')
    // The model keeps no history, so there is nothing to cut; the protocol has no receipt for it.
    return undefined
  }

  inputEnded(): void {}

  get isIdle(): boolean {
    return this.#units.isEmpty
  }

  beforeDrained(): void {
    // A response is still open when its reply was not through as the input ended, all of whose units were done by then.
    if (this.#conversation !== undefined && (this.#hasEndUnit() || this.#writer.isOpen)) {
      this.#writeUnit(this.#host.input.unitsCut, 0, this.#conversation.end())
    }
  }

  endResponse(end: ResponseEnd): void {
    this.#writer.end(end)
  }

  stop(): void {
    this.#units.clear()
  }

  #publish(cut: CutUnit, heard: Heard): void {
    const { input, hasInputEnded } = this.#host
    input.consumed(cut)
    const isLast = hasInputEnded && this.#units.isEmpty && !this.#hasEndUnit()
    const output = this.#conversation?.hear(heard, isLast)
    if (output !== undefined) this.#writeUnit(cut.index, input.msOf(cut.pcm.length), output)
    this.#host.unitDone()
  }

  #writeUnit(index: number, durationMs: number, output: Omit<UnitOutput, 'unitId' | 'mediaTime'>): void {
    const mediaTime = { t_start_ms: index * this.#host.deployment.unitMs, duration_ms: durationMs }
    this.#writer.writeUnit({ ...output, unitId: `unit_${index}`, mediaTime })
  }

  /** A continuous model ends its response in an empty unit where the input is a whole number of units. */
  #hasEndUnit(): boolean {
    const { deployment, input } = this.#host
    return deployment.continuous && input.unitsCut > 0 && input.paddingMs === 0
  }
}
