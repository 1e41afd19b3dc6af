/**
 * The kinds of faults, by what sets them off. "The moment" is `atMs` after the first `session.updated`.
 *
 *   atMoment      the moment itself; nothing is altered before it
 *   onceOnFrame   the first frame from the moment on that fits
 *   onEveryFrame  whatever fits, from the beginning
 */
import { type InstantUs, US_PER_MS } from '../base/clock.js'
import { type Fault, type FaultContext, type Outgoing, textOut } from './fault.js'
import { errorFrame, FATAL_CODE, farewellFrames, lateReply, OpenReplies } from './fault-events.js'
import { type Frame, readFrame } from './fault-frames.js'

export const NO_FAULT: Fault = {
  onUpgrade: () => ({}),
  outgoing: (text) => [textOut(text)],
  dueAtUs: () => undefined,
  due: () => [],
  completesClose: true,
}

/** Becomes known with the first `session.updated`. */
class Moment {
  readonly #context: FaultContext
  atUs: InstantUs | undefined

  constructor(context: FaultContext) {
    this.#context = context
  }

  get hasCome(): boolean {
    return this.atUs !== undefined && this.#context.clock.nowUs() >= this.atUs
  }

  see({ type }: Frame): void {
    if (type !== 'session.updated' || this.atUs !== undefined) return
    this.atUs = this.#context.clock.nowUs() + Math.round(this.#context.atMs * US_PER_MS)
  }
}

/** @param strike what goes out at the moment; @param see is shown every frame that goes out before it */
export function atMoment(
  context: FaultContext,
  strike: () => readonly Outgoing[],
  see: (frame: Frame) => void = () => undefined,
): Fault {
  const moment = new Moment(context)
  return {
    ...NO_FAULT,
    outgoing: (text) => {
      const frame = readFrame(text)
      see(frame)
      moment.see(frame)
      return [textOut(text)]
    },
    dueAtUs: () => moment.atUs,
    due: strike,
  }
}

/** @param spoil what goes out in place of the frame; undefined where the frame does not fit */
export function onceOnFrame(
  context: FaultContext,
  spoil: (frame: Frame, text: string) => readonly Outgoing[] | undefined,
): Fault {
  const moment = new Moment(context)
  let isDone = false
  return {
    ...NO_FAULT,
    outgoing: (text) => {
      if (isDone) return [textOut(text)]
      const frame = readFrame(text)
      const spoilt = moment.hasCome ? spoil(frame, text) : undefined
      moment.see(frame)
      isDone = spoilt !== undefined
      return spoilt ?? [textOut(text)]
    },
  }
}

/** @param change the altered frame; undefined where it does not fit */
export function onEveryFrame(change: (frame: Frame) => Frame | undefined): Fault {
  return { ...NO_FAULT, outgoing: (text) => [textOut(change(readFrame(text)) ?? text)] }
}

/** The error, the ends of what the client has seen begin, the farewell, and the closing handshake. */
export function fatalError(context: FaultContext): Fault {
  const replies = new OpenReplies()
  return atMoment(
    context,
    () => [
      textOut(errorFrame({ ...context, isFatal: true })),
      ...replies.fail().map(textOut),
      ...farewellFrames(context.protocol).map(textOut),
      { kind: 'close', code: 1011, reason: FATAL_CODE },
    ],
    (frame) => replies.see(frame),
  )
}

/** Keeps one unit receipt back until the next one has gone; where none follows, it goes before the drain receipt. */
export function swapUnits(context: FaultContext): Fault {
  let held: string | undefined
  let isDone = false
  const inner = onceOnFrame(context, ({ type }, text) => {
    if (type !== 'sglang.unit.done') return undefined
    held = text
    return []
  })
  return {
    ...inner,
    outgoing: (text) => {
      if (held === undefined || isDone) return inner.outgoing(text)
      const { type } = readFrame(text)
      const isNext = type === 'sglang.unit.done'
      if (!isNext && type !== 'sglang.input_audio.drained' && type !== 'session.closed') return [textOut(text)]
      isDone = true
      return isNext ? [textOut(text), textOut(held)] : [textOut(held), textOut(text)]
    },
  }
}

export function replyAfterDrain(): Fault {
  let chunk: unknown
  return {
    ...NO_FAULT,
    outgoing: (text) => {
      const { type, sglang } = readFrame(text)
      if (type === 'sglang.unit.done') chunk = sglang
      return [textOut(text), ...(type === 'sglang.input_audio.drained' ? lateReply(chunk).map(textOut) : [])]
    },
  }
}
