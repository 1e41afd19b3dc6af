/**
 * Images on the input timeline, for models that take them. The loopback's model looks at none: they are checked, counted
 * and acknowledged. Source: docs/protocols.md
 */
import { type Deployment, IMAGE_LIMITS } from './deployment.js'
import { decodeBase64 } from './pcm16.js'
import { type Refusal, refuse } from './refusal.js'

/** Images may lie this many units ahead of the audio. */
const UNITS_AHEAD_MAX = 2

export class ImageIntake {
  readonly #deployment: Deployment
  readonly #imagesOfUnit = new Map<number, number>()

  constructor(deployment: Deployment) {
    this.#deployment = deployment
  }

  /** @returns the unit that the image belongs to, or why it is refused */
  accept({ image, tMs, unitsCut }: { image: string; tMs: number; unitsCut: number }): number | Refusal {
    const { takesImages, unitMs } = this.#deployment
    if (!takesImages) return refuse('not_supported', 'this model takes no images', 'type')
    const bytes = decodeBase64(image)
    if (bytes === undefined || bytes.length === 0 || bytes.length > IMAGE_LIMITS.max_bytes) {
      return refuse('invalid_request', `an image has 1 to ${IMAGE_LIMITS.max_bytes} bytes, in base64`, 'image')
    }
    const unit = Math.floor(tMs / unitMs)
    if (unit < unitsCut) return refuse('invalid_state', `unit ${unit} has been cut already`, 'sglang.t_ms')
    if (unit > unitsCut + UNITS_AHEAD_MAX) {
      return refuse('invalid_state', `unit ${unit} is too far ahead of the audio`, 'sglang.t_ms')
    }
    const images = (this.#imagesOfUnit.get(unit) ?? 0) + 1
    if (images > IMAGE_LIMITS.max_frames_per_unit) {
      return refuse('invalid_request', `a unit takes at most ${IMAGE_LIMITS.max_frames_per_unit} images`, 'sglang.t_ms')
    }
    this.#imagesOfUnit.set(unit, images)
    return unit
  }
}
