import { describe, expect, test } from 'vitest'
import { type InstantUs, US_PER_S } from '../../src/base/clock.js'
import { LevelRunner, type LevelRunnerOptions, ownGate } from '../../src/load/level-runner.js'
import { startOnGrid } from '../../src/load/phase.js'
import type { SessionResult, SessionRunner } from '../../src/load/session-runner.js'
import { poissonArrivalsUs } from '../../src/load/start-policy.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

const LEAD_US = 20_000
const PACKET_US = 80_000
const ADMISSION_US = 5_000
const MESSAGE = 'interrupted by the user'

interface Life {
  /** From begin to admission; undefined for a session that is never let in. */
  readonly admittedAfterUs?: number | undefined
  /** From the start of its input to its end, or from begin for one that is never let in. */
  readonly lengthUs: number
  /** Ends this long after admission, whatever the start. */
  readonly failsAfterAdmissionUs?: number
}

interface Seen {
  beganAtUs: InstantUs
  admittedAtUs?: InstantUs
  startAtUs?: InstantUs
  endedAtUs?: InstantUs
  leftWith?: string
}

class FakeSession {
  readonly seen: Seen
  readonly #clock: VirtualClock
  readonly #life: Life
  readonly #hooks: Parameters<LevelRunnerOptions['createRunner']>[1]

  constructor(clock: VirtualClock, life: Life, hooks: Parameters<LevelRunnerOptions['createRunner']>[1]) {
    this.#clock = clock
    this.#life = life
    this.#hooks = hooks
    this.seen = { beganAtUs: -1 }
  }

  begin(): void {
    const { admittedAfterUs, lengthUs, failsAfterAdmissionUs } = this.#life
    this.seen.beganAtUs = this.#clock.nowUs()
    if (admittedAfterUs === undefined) {
      this.#after(lengthUs, () => this.#end())
      return
    }
    this.#after(admittedAfterUs, () => {
      this.seen.admittedAtUs = this.#clock.nowUs()
      if (failsAfterAdmissionUs !== undefined) this.#after(failsAfterAdmissionUs, () => this.#end())
      this.#hooks.requestStart((startAtUs) => {
        this.seen.startAtUs = startAtUs
        this.#clock.at(startAtUs + lengthUs, () => this.#end())
      })
    })
  }

  leave(message: string): void {
    if (this.seen.endedAtUs !== undefined) return
    this.seen.leftWith = message
    this.#after(300_000, () => this.#end())
  }

  #after(us: number, act: () => void): void {
    this.#clock.at(this.#clock.nowUs() + us, () => {
      if (this.seen.endedAtUs === undefined) act()
    })
  }

  #end(): void {
    if (this.seen.endedAtUs !== undefined) return
    this.seen.endedAtUs = this.#clock.nowUs()
    const result: SessionResult = { outcome: { kind: 'completed', message: '' }, startAtUs: undefined }
    this.#hooks.onEnd(result)
  }
}

function arrivals({ sessions, concurrency }: { sessions: number; concurrency: number }, meanSessionUs = US_PER_S) {
  return poissonArrivalsUs({ sessions, concurrency, meanSessionUs, seed: 'level' })
}

/** The start that a slot gets of a level that began at 0. */
function gridStart(slot: number, beganAtUs: InstantUs, concurrency: number): InstantUs {
  const grid = { phases: 'spread' as const, epochUs: 0, packetUs: PACKET_US, concurrency }
  return startOnGrid(grid, slot, beganAtUs + ADMISSION_US + LEAD_US)
}

class Level {
  readonly clock = new VirtualClock(0)
  readonly runner: LevelRunner
  readonly sessions: FakeSession[] = []
  maxOpen = 0
  finishedAtUs: InstantUs | undefined

  constructor(
    options: Pick<LevelRunnerOptions, 'policy' | 'concurrency' | 'sessions'> & Partial<LevelRunnerOptions>,
    lifeOf: (index: number) => Life,
  ) {
    this.runner = new LevelRunner({
      clock: this.clock,
      phases: options.policy === 'aligned' ? 'aligned' : 'spread',
      ...{ sender: 0, senders: 1, slots: options.concurrency },
      packetUs: PACKET_US,
      leadUs: LEAD_US,
      arrivalsUs: arrivals(options),
      gate: ownGate(this.clock, LEAD_US),
      createRunner: (index, hooks) => {
        expect(index, 'sessions are handed out in order').toBe(this.sessions.length)
        const session = new FakeSession(this.clock, lifeOf(index), hooks)
        this.sessions.push(session)
        const { begin } = FakeSession.prototype
        session.begin = () => {
          this.maxOpen = Math.max(this.maxOpen, this.runner.openSessions)
          begin.call(session)
        }
        // The level runner begins a session and lets it leave, and asks for nothing else.
        return session as unknown as SessionRunner
      },
      ...options,
    })
  }

  async run(): Promise<this> {
    await this.clock.runUntilSettled(this.begin())
    return this
  }

  begin(): Promise<void> {
    return this.runner.run(this.clock.nowUs()).then(() => {
      this.finishedAtUs = this.clock.nowUs()
    })
  }

  of<K extends keyof Seen>(key: K): Seen[K][] {
    return this.sessions.map(({ seen }) => seen[key])
  }
}

const life = (lengthUs: number): Life => ({ admittedAfterUs: ADMISSION_US, lengthUs })
const POLICIES = ['pool', 'aligned', 'spread', 'poisson'] as const

describe('pool', () => {
  test('keeps N sessions open, and takes the next input the moment one ends', async () => {
    const lengths = [300_000, 1_000_000, 500_000, 250_000, 250_000]
    const level = await new Level({ policy: 'pool', concurrency: 2, sessions: 5 }, (index) =>
      life(lengths[index] ?? 0),
    ).run()
    // Slot 0: sessions 0, 2 and 3; slot 1: 1 and 4. Each starts at its slot's phase, half a packet apart.
    const slots = [0, 1, 0, 0, 1]
    const ends = level.of('endedAtUs').map(Number)
    expect(level.of('beganAtUs')).toEqual([0, 0, ends[0], ends[2], ends[1]])
    expect(level.of('startAtUs')).toEqual(level.of('beganAtUs').map((at, index) => gridStart(slots[index] ?? 0, at, 2)))
    expect(level.of('startAtUs').map((at) => Number(at) % PACKET_US)).toEqual([0, 40_000, 0, 0, 40_000])
    expect(level.maxOpen).toBe(2)
    expect(level.finishedAtUs).toBe(Math.max(...ends))
  })

  test('sends all packets at the same instants where that is asked for', async () => {
    const level = await new Level({ policy: 'pool', phases: 'aligned', concurrency: 3, sessions: 7 }, (index) =>
      life(100_000 + index * 7_000),
    ).run()
    expect(level.of('startAtUs').map((at) => Number(at) % PACKET_US)).toEqual([0, 0, 0, 0, 0, 0, 0])
  })

  test('keeps to the phases of its own slots as one of several senders', async () => {
    const level = await new Level(
      { policy: 'pool', concurrency: 8, sender: 1, senders: 4, slots: 2, sessions: 4 },
      () => life(200_000),
    ).run()
    // Slots 1 and 5 of eight.
    expect(level.of('startAtUs').map((at) => Number(at) % PACKET_US)).toEqual([10_000, 50_000, 50_000, 10_000])
  })

  test.each([
    { concurrency: 8, sessions: 3, maxOpen: 3 },
    { concurrency: 3, sessions: 3, maxOpen: 3 },
    { concurrency: 1, sessions: 4, maxOpen: 1 },
  ])('runs $sessions sessions in $concurrency slots', async ({ concurrency, sessions, maxOpen }) => {
    const level = await new Level({ policy: 'pool', concurrency, sessions }, () => life(100_000)).run()
    expect(level.maxOpen).toBe(maxOpen)
    expect(level.runner).toMatchObject({ openSessions: 0, endedSessions: sessions })
  })
})

describe.each(['aligned', 'spread'] as const)('%s', (policy) => {
  const offset = (position: number, size: number) => (policy === 'spread' ? Math.floor((position * 80_000) / size) : 0)

  test('waits until the whole wave is admitted, and starts it together', async () => {
    const level = await new Level({ policy, concurrency: 4, sessions: 4 }, (index) => ({
      admittedAfterUs: [5_000, 900_000, 20_000, 3_000][index],
      lengthUs: 1_000_000,
    })).run()
    expect(level.of('startAtUs')).toEqual([0, 1, 2, 3].map((position) => 920_000 + offset(position, 4)))
  })

  test('begins a wave when the last session of the one before has ended', async () => {
    const level = await new Level({ policy, concurrency: 2, sessions: 5 }, (index) =>
      life([200_000, 700_000, 100_000, 100_000, 100_000][index] ?? 0),
    ).run()
    const ends = level.of('endedAtUs')
    expect(level.of('beganAtUs')).toEqual([0, 0, ends[1], ends[1], Math.max(ends[2] ?? 0, ends[3] ?? 0)])
    // The last wave is smaller, and its barrier with it.
    expect(level.sessions[4]?.seen.startAtUs).toBe((level.sessions[4]?.seen.beganAtUs ?? 0) + ADMISSION_US + LEAD_US)
  })

  test.each([
    { name: 'is never let in', failing: { lengthUs: 60_000 } },
    {
      name: 'fails after its admission',
      failing: { admittedAfterUs: 1_000, lengthUs: 1, failsAfterAdmissionUs: 50_000 },
    },
  ] satisfies { name: string; failing: Life }[])(
    'a session that $name does not hold the others',
    async ({ failing }) => {
      const level = await new Level({ policy, concurrency: 3, sessions: 3 }, (index) =>
        index === 1 ? failing : { admittedAfterUs: index === 0 ? ADMISSION_US : 55_000, lengthUs: 400_000 },
      ).run()
      const [first, failed, last] = level.sessions.map(({ seen }) => seen)
      const startUs = Math.max(failed?.endedAtUs ?? 0, last?.admittedAtUs ?? 0) + LEAD_US
      expect([first?.startAtUs, last?.startAtUs]).toEqual([startUs, startUs + offset(2, 3)])
      expect(failed?.startAtUs).toBeUndefined()
    },
  )
})

describe('poisson', () => {
  test('begins every session at its arrival, however many are open', async () => {
    const plan = { sessions: 40, concurrency: 3 }
    const arrivalsUs = arrivals(plan, 800_000)
    const level = await new Level({ policy: 'poisson', ...plan, arrivalsUs }, () => life(800_000)).run()
    expect(level.of('beganAtUs')).toEqual(arrivalsUs)
    for (const { beganAtUs, startAtUs } of level.sessions.map(({ seen }) => seen)) {
      const waitUs = Number(startAtUs) - beganAtUs - ADMISSION_US - LEAD_US
      expect(waitUs).toBeGreaterThanOrEqual(0)
      expect(waitUs).toBeLessThan(PACKET_US)
    }
    expect(level.maxOpen).toBeGreaterThan(3)
  })
})

describe.each(POLICIES)('under %s', (policy) => {
  test('a level of failing sessions still ends', async () => {
    const level = await new Level({ policy, concurrency: 3, sessions: 8 }, () => ({ lengthUs: 1_000 })).run()
    expect(level.runner).toMatchObject({ openSessions: 0, endedSessions: 8 })
    expect(level.of('startAtUs').every((at) => at === undefined)).toBe(true)
  })

  test('a level without sessions is over at once', async () => {
    const level = await new Level({ policy, concurrency: 3, sessions: 0 }, () => life(1)).run()
    expect(level.finishedAtUs).toBe(0)
    expect(level.sessions).toEqual([])
  })

  test('leaving begins nothing more, tells every open session, and resolves with the last of them', async () => {
    const level = new Level({ policy, concurrency: 2, sessions: 9 }, () => life(3_000_000))
    const done = level.begin()
    await level.clock.runUntil(1_000_000)
    const begun = level.sessions.length
    level.runner.leave(MESSAGE)
    level.runner.leave('a second time')
    await level.clock.runUntilSettled(done)
    expect(begun).toBeGreaterThan(0)
    expect(level.of('leftWith')).toEqual(Array.from({ length: begun }, () => MESSAGE))
    expect(level.finishedAtUs).toBe(1_300_000)
    await level.clock.runUntil(60 * US_PER_S)
    expect(level.sessions).toHaveLength(begun)
  })

  test('leaving before the level has run leaves nothing to wait for', async () => {
    const level = new Level({ policy, concurrency: 2, sessions: 9 }, () => life(1_000))
    level.runner.leave(MESSAGE)
    const done = level.begin()
    await level.clock.runUntil(60 * US_PER_S)
    expect(level.finishedAtUs).toBeDefined()
    await done
    expect(level.sessions).toEqual([])
  })
})

test('leaving while nobody is there yet, between two arrivals, ends the level at once', async () => {
  const plan = { concurrency: 1, sessions: 3 }
  const level = new Level({ policy: 'poisson', ...plan, arrivalsUs: arrivals(plan, 60 * US_PER_S) }, () => life(1_000))
  const done = level.begin()
  await level.clock.runUntil(100_000)
  expect(level.runner).toMatchObject({ openSessions: 0, endedSessions: 1 })
  level.runner.leave(MESSAGE)
  await done
  expect(level.finishedAtUs).toBe(100_000)
})
