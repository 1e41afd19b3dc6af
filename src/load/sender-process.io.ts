/**
 * A sender: one process that runs its share of one level, so that nothing but packets and frames happens where time
 * matters. It takes its orders from the process that runs the sweep, writes one journal while it sends, makes traces and
 * receipts of it when the whole level is over, and ends. All judgement is left to whoever reads the files.
 */
import { join } from 'node:path'
import { messageOf, UserError } from '../base/errors.js'
import { SystemClock } from '../base/system-clock.io.js'
import { levelPlanSchema, senderShareSchema } from './level-plan.js'
import { Sender } from './sender.io.js'
import type { FromSender, ToSender } from './sender-messages.js'
import { journalName } from './sender-names.js'
import { storeSessions } from './session-files.io.js'

/** Histograms are encoded for each of them, which takes a part of a millisecond. */
const PROGRESS_INTERVAL_MS = 1000

async function main(): Promise<void> {
  // An interrupt reaches the whole process group; the parent decides what it means and sends `leave`.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const orders = new Orders()
  const { plan, share } = await orders.run
  const sender = await Sender.prepare({
    plan,
    share,
    clock: new SystemClock(),
    journal: join(plan.runDirectory, journalName(share.sender)),
    tell,
    startWave: (wave) => orders.waveStart(wave),
    beginWave: (wave) => orders.waveBegin(wave),
    env: process.env,
  })
  let wasInterrupted = false
  orders.onLeave((message) => {
    wasInterrupted = true
    sender.leave(message)
  })
  tell({ kind: 'ready' })
  const epochUs = await orders.go
  const progress = setInterval(() => tell({ kind: 'progress', progress: sender.progress() }), PROGRESS_INTERVAL_MS)
  try {
    if (epochUs !== undefined) await sender.run(epochUs)
  } finally {
    clearInterval(progress)
  }
  tell({ kind: 'progress', progress: sender.progress() })
  const monitoring = sender.close()
  tell({ kind: 'over' })
  await orders.store
  tell({ kind: 'storing' })
  if (plan.isDiscarded === true) {
    tell({ kind: 'done', wasInterrupted, monitoring })
    return
  }
  const traceBytes = await storeSessions({
    plan,
    sessions: share.sessions,
    journal: join(plan.runDirectory, journalName(share.sender)),
    onProgress: everySecond(() => tell({ kind: 'storing' })),
    onAmended: (directory, { outcome }) => tell({ kind: 'session', session: { directory, outcome } }),
  })
  tell({ kind: 'done', wasInterrupted, monitoring: { ...monitoring, trace_bytes: traceBytes } })
}

/** What the parent says, as it comes. */
class Orders {
  readonly run: Promise<Pick<Extract<ToSender, { kind: 'run' }>, 'plan' | 'share'>>
  /** Start of the level; undefined when it is called off before. */
  readonly go: Promise<number | undefined>
  /** Also fulfilled when the parent is gone: what was recorded is stored all the same. */
  readonly store: Promise<void>
  readonly #waveStarts = new Map<number, (startAtUs: number) => void>()
  readonly #waveBegins = new Map<number, () => void>()
  #leaveMessage: string | undefined
  #onLeave: (message: string) => void = () => undefined
  #goOff: () => void = () => undefined

  constructor() {
    let setRun: (orders: Pick<Extract<ToSender, { kind: 'run' }>, 'plan' | 'share'>) => void = () => undefined
    let failRun: (error: Error) => void = () => undefined
    let setGo: (epochUs: number | undefined) => void = () => undefined
    let setStore: () => void = () => undefined
    this.run = new Promise((resolve, reject) => {
      setRun = resolve
      failRun = reject
    })
    this.go = new Promise((resolve) => {
      setGo = resolve
    })
    this.store = new Promise((resolve) => {
      setStore = resolve
    })
    this.#goOff = () => setGo(undefined)
    process.on('message', (message: ToSender) => {
      switch (message.kind) {
        case 'run': {
          const plan = levelPlanSchema.safeParse(message.plan)
          const share = senderShareSchema.safeParse(message.share)
          if (plan.success && share.success) setRun({ plan: plan.data, share: share.data as typeof message.share })
          else failRun(new Error(`not a level plan: ${plan.error?.message ?? share.error?.message}`))
          break
        }
        case 'go':
          setGo(message.epochUs)
          break
        case 'start_wave':
          this.#waveStarts.get(message.wave)?.(message.startAtUs)
          break
        case 'begin_wave':
          this.#waveBegins.get(message.wave)?.()
          break
        case 'store':
          setStore()
          break
        default:
          this.#leave(message.message)
      }
    })
    // The parent is gone: nobody will read this level.
    process.on('disconnect', () => {
      this.#leave('the controlling process ended')
      setStore()
    })
  }

  onLeave(act: (message: string) => void): void {
    this.#onLeave = act
    if (this.#leaveMessage !== undefined) act(this.#leaveMessage)
  }

  waveStart(wave: number): Promise<number> {
    return new Promise((resolve) => this.#waveStarts.set(wave, resolve))
  }

  waveBegin(wave: number): Promise<void> {
    return new Promise((resolve) => this.#waveBegins.set(wave, resolve))
  }

  #leave(message: string): void {
    if (this.#leaveMessage !== undefined) return
    this.#leaveMessage = message
    this.#onLeave(message)
    this.#goOff()
  }
}

function everySecond(act: () => void): () => void {
  let lastMs = performance.now()
  return () => {
    if (performance.now() - lastMs < 1000) return
    lastMs = performance.now()
    act()
  }
}

function tell(message: FromSender): void {
  if (process.connected) process.send?.(message)
}

main().then(
  () => process.disconnect?.(),
  (thrown: unknown) => {
    if (thrown instanceof UserError) {
      tell({ kind: 'error', code: thrown.code, message: thrown.message, fix: thrown.fix })
    } else {
      tell({ kind: 'crash', message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown) })
    }
    process.exitCode = 1
    process.disconnect?.()
  },
)
