/**
 * Runs one level in fresh sender processes and listens to what they say. A sender that dies loses its sessions, which fail
 * with that cause, and not the level.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileWhole } from '../base/atomic-file.io.js'
import { type Clock, US_PER_MS } from '../base/clock.js'
import { ERROR_CODES, type ErrorCode, UserError } from '../base/errors.js'
import { jsonText } from '../base/json.js'
import { MONITOR_FILE } from '../capture/run-manifest.js'
import type { SelfMonitoring } from '../capture/self-monitoring.js'
import { allowedCores } from './cores.io.js'
import { dealSessions } from './deal-sessions.js'
import { HostWatch } from './host-pressure.io.js'
import type { LevelPlan, SenderShare } from './level-plan.js'
import { mergedProgress } from './merged-progress.js'
import { SenderHandle } from './sender-handle.io.js'
import type { FromSender, LevelProgress, SessionEnded } from './sender-messages.js'
import { mergeMonitoring, type SenderMonitoring } from './sender-monitoring.js'
import { journalName } from './sender-names.js'
import { storeSessions } from './session-files.io.js'
import { isWaves } from './start-policy.js'
import { WaveBarrier } from './wave-barrier.js'

/** After asking a sender to leave: sessions have a second each. Storing says so, and has its time. */
const LEAVE_TIMEOUT_MS = 10_000
/** From when all senders are ready to the start of the level. */
const GO_LEAD_US = 20 * US_PER_MS
/** From when all sessions of a wave wait to its first packet: the news has to reach every sender. */
const WAVE_LEAD_US = 50 * US_PER_MS

export interface LevelRunOptions {
  readonly plan: LevelPlan
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onProgress: (progress: LevelProgress) => void
  readonly onSession: (session: SessionEnded) => void
}

export interface LevelRunEnd {
  readonly wasInterrupted: boolean
  /** Senders that died, in words for a person. */
  readonly losses: readonly string[]
  readonly monitoring: SelfMonitoring
}

/**
 * @throws UserError what a sender could not do (disk full); Error when all of them died, which is a defect of ours or a kill
 */
export async function runLevel(options: LevelRunOptions): Promise<LevelRunEnd> {
  const host = HostWatch.start(options.clock)
  try {
    return await new LevelRun(options, host).run()
  } finally {
    await host.stop()
  }
}

type SenderState = 'preparing' | 'ready' | 'over' | 'done' | 'dead'

interface Member {
  readonly share: SenderShare
  readonly handle: SenderHandle
  state: SenderState
  isStoring: boolean
  progress: LevelProgress
  monitoring: SenderMonitoring | undefined
  /** How it died. */
  death: string
  diedAtUs: number
}

class LevelRun {
  readonly #options: LevelRunOptions
  readonly #host: HostWatch
  readonly #members: Member[]
  readonly #barrier: WaveBarrier
  #failure: Error | undefined
  #wasInterrupted = false
  #hasBegun = false
  #isStoring = false
  #killTimer: NodeJS.Timeout | undefined
  #finish: () => void = () => undefined

  constructor(options: LevelRunOptions, host: HostWatch) {
    const { plan } = options
    this.#options = options
    this.#host = host
    const shares = dealSessions(plan, plan.senders ?? 1)
    // One sender runs best where the system puts it; several must not be put on the same core.
    const cores = shares.length > 1 ? allowedCores() : []
    this.#members = shares.map((share, index) => this.#start(share, cores.at(-1 - (index % Math.max(1, cores.length)))))
    this.#barrier = new WaveBarrier(
      new Map(shares.map((share) => [share.sender, Math.ceil(share.sessions.length / share.slots)])),
      {
        onComplete: (wave, senders) => {
          const startAtUs = options.clock.nowUs() + Math.max(WAVE_LEAD_US, plan.leadMs * US_PER_MS)
          for (const member of this.#of(senders)) member.handle.say({ kind: 'start_wave', wave, startAtUs })
        },
        onNext: (wave, senders) => {
          for (const member of this.#of(senders)) member.handle.say({ kind: 'begin_wave', wave })
        },
      },
    )
  }

  async run(): Promise<LevelRunEnd> {
    const { plan, signal } = this.#options
    const onAbort = () => this.#leave('interrupted by the user')
    try {
      await new Promise<void>((resolve) => {
        this.#finish = resolve
        for (const { handle, share } of this.#members) handle.say({ kind: 'run', plan, share })
        if (signal.aborted) onAbort()
        else signal.addEventListener('abort', onAbort, { once: true })
        this.#look()
      })
    } finally {
      if (this.#killTimer !== undefined) clearTimeout(this.#killTimer)
      signal.removeEventListener('abort', onAbort)
      for (const { handle, state } of this.#members) if (state !== 'done' && state !== 'dead') handle.kill()
    }
    if (this.#failure !== undefined) throw this.#failure
    const dead = this.#members.filter(({ state }) => state === 'dead')
    const [first] = dead
    if (first !== undefined && dead.length === this.#members.length && !signal.aborted) {
      throw new Error(`the sending process died (${first.death})`)
    }
    for (const member of dead) await this.#storeForTheDead(member)
    const monitoring = mergeMonitoring({
      parts: this.#members.flatMap(({ share, monitoring: own }) =>
        own === undefined ? [] : [{ sender: share.sender, sessions: this.#directories(share), monitoring: own }],
      ),
      host: await this.#host.stop(),
    })
    await writeFileWhole(join(plan.runDirectory, MONITOR_FILE), jsonText(monitoring))
    return {
      wasInterrupted: this.#wasInterrupted || signal.aborted,
      losses: dead.map(({ share, death }) => lossText(share, death)),
      monitoring,
    }
  }

  #start(share: SenderShare, core: number | undefined): Member {
    const handle = new SenderHandle(
      {
        onMessage: (message) => this.#onMessage(member, message),
        onGone: (how) => this.#onGone(member, how),
      },
      core,
    )
    const member: Member = {
      share,
      handle,
      state: 'preparing',
      isStoring: false,
      progress: emptyProgress(share.sessions.length),
      monitoring: undefined,
      death: '',
      diedAtUs: 0,
    }
    return member
  }

  #onMessage(member: Member, message: FromSender): void {
    switch (message.kind) {
      case 'ready':
        member.state = 'ready'
        break
      case 'progress':
        member.progress = message.progress
        this.#options.onProgress(mergedProgress(this.#members.map(({ progress }) => progress)))
        break
      case 'session':
        this.#options.onSession(message.session)
        break
      case 'wave_waiting':
        this.#barrier.waiting(member.share.sender, message.wave)
        break
      case 'wave_over':
        this.#barrier.over(member.share.sender, message.wave)
        break
      case 'over':
        member.state = 'over'
        if (isWaves(this.#options.plan.policy)) this.#barrier.gone(member.share.sender)
        break
      case 'storing':
        member.isStoring = true
        if (this.#killTimer !== undefined) this.#killLater()
        break
      case 'done':
        member.monitoring = message.monitoring
        this.#wasInterrupted ||= message.wasInterrupted
        member.state = 'done'
        break
      case 'error':
        this.#fail(userError(message.code, message.message, message.fix))
        break
      default:
        this.#fail(new Error(`a sending process failed: ${message.message}`))
    }
    this.#look()
  }

  #onGone(member: Member, how: string): void {
    if (member.state === 'done' || member.state === 'dead') return
    member.state = 'dead'
    member.death = how
    member.diedAtUs = this.#options.clock.nowUs()
    this.#barrier.gone(member.share.sender)
    this.#look()
  }

  /** What the senders have come to decides what is next. */
  #look(): void {
    const states = this.#members.map(({ state }) => state)
    if (this.#failure !== undefined || states.every((state) => state === 'done' || state === 'dead')) {
      this.#finish()
      return
    }
    const isReady = states.every((state) => state !== 'preparing')
    if (isReady && !this.#hasBegun) {
      this.#hasBegun = true
      const epochUs = this.#options.clock.nowUs() + GO_LEAD_US
      this.#sayAll({ kind: 'go', epochUs })
    }
    if (!this.#isStoring && states.every((state) => state !== 'preparing' && state !== 'ready')) {
      this.#isStoring = true
      this.#sayAll({ kind: 'store' })
    }
  }

  #leave(message: string): void {
    this.#wasInterrupted = true
    this.#sayAll({ kind: 'leave', message })
    this.#killLater()
  }

  #killLater(): void {
    if (this.#killTimer !== undefined) clearTimeout(this.#killTimer)
    this.#killTimer = setTimeout(() => {
      for (const { handle } of this.#members) handle.kill()
    }, LEAVE_TIMEOUT_MS)
  }

  /** What cannot be stored cannot be judged: the level ends, for all senders. */
  #fail(failure: Error): void {
    this.#failure ??= failure
  }

  async #storeForTheDead({ share, death, diedAtUs, isStoring }: Member): Promise<void> {
    const { plan, onSession } = this.#options
    const journal = join(plan.runDirectory, journalName(share.sender))
    // It had stored everything, and died on its way out.
    if (isStoring && !existsSync(journal)) return
    const outcome = { kind: 'sender_died' as const, message: `the sending process died (${death})` }
    await storeSessions({
      plan,
      sessions: share.sessions,
      journal,
      ...(this.#wasInterrupted ? {} : { death: { outcome, atUs: diedAtUs } }),
      onAmended: (directory, end) => onSession({ directory, outcome: end.outcome }),
    })
  }

  #sayAll(message: Parameters<SenderHandle['say']>[0]): void {
    for (const { handle } of this.#members) handle.say(message)
  }

  #of(senders: readonly number[]): Member[] {
    return this.#members.filter(({ share }) => senders.includes(share.sender))
  }

  #directories(share: SenderShare): string[] {
    return share.sessions.map((index) => this.#options.plan.sessions[index]?.directory ?? '')
  }
}

function emptyProgress(total: number): LevelProgress {
  return {
    ...{ open: 0, done: 0, failed: 0, denied: 0, total },
    ...{ sendLatenessUs: [], unitLagUs: [], missedUnits: 0, loopDelayMaxMs: 0 },
  }
}

function lossText({ sender, sessions }: SenderShare, how: string): string {
  const count = sessions.length === 1 ? 'its session is' : `its ${sessions.length} sessions are`
  return `sender ${sender} died (${how}); ${count} counted as failed`
}

function userError(code: string, message: string, fix: string | undefined): Error {
  if (!(code in ERROR_CODES)) return new Error(message)
  return new UserError({ code: code as ErrorCode, message, ...(fix === undefined ? {} : { fix }) })
}
