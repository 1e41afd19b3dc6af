/** Deals the sessions of a level out to its senders. Pure. */
import { DeadlineQueue } from '../base/deadline-queue.js'
import { type LevelPlan, meanSessionUs, type SenderShare } from './level-plan.js'
import { poissonArrivalsUs } from './start-policy.js'

/** What one sender drives with ease on any machine; a level of fewer sessions gains nothing from a second one. */
const SESSIONS_PER_SENDER = 400

/**
 * How many senders a level gets. `auto`: as many as its sessions need, and never more than leaves one core to the rest.
 * @param cores that this process may use
 */
export function senderCount(choice: number | 'auto', concurrency: number, cores: number): number {
  const wanted = choice === 'auto' ? Math.min(Math.ceil(concurrency / SESSIONS_PER_SENDER), cores - 1) : choice
  return Math.max(1, Math.min(wanted, concurrency))
}

/**
 * One share for each sender that has any session. Slot s of the level belongs to sender s modulo the number of senders.
 *
 * - waves: session i of a wave is slot i.
 * - `pool`: a session goes to the slot that is free first when every session is open for exactly as long as its input. So
 *   all senders run dry at the same time, whatever the order of long and short inputs, and none needs to be asked which
 *   session is next while packets are being sent.
 * - `poisson`: in turn.
 */
export function dealSessions(plan: LevelPlan, senders: number): SenderShare[] {
  const slotOf = plan.policy === 'pool' ? poolSlots(plan) : plan.sessions.map((_, index) => index % plan.concurrency)
  const arrivals = plan.policy === 'poisson' ? arrivalsOf(plan) : undefined
  const shares = Array.from({ length: senders }, (_, sender) => {
    const sessions = plan.sessions.flatMap((_session, index) => {
      const turn = plan.policy === 'poisson' ? index : (slotOf[index] as number)
      return turn % senders === sender ? [index] : []
    })
    return {
      sender,
      senders,
      slots: Math.ceil((plan.concurrency - sender) / senders),
      sessions,
      ...(arrivals === undefined ? {} : { arrivalsUs: sessions.map((index) => arrivals[index] as number) }),
    }
  })
  return shares.filter(({ sessions, slots }) => sessions.length > 0 && slots > 0)
}

function poolSlots({ sessions, inputs, concurrency }: LevelPlan): number[] {
  const free = new DeadlineQueue()
  let taken = 0
  const takes = Array.from({ length: concurrency }, (_, slot) => () => {
    taken = slot
  })
  for (const take of takes) free.add(0, take)
  return sessions.map(({ inputIndex }) => {
    const freeAtUs = free.earliestUs ?? 0
    free.takeDue(freeAtUs)?.()
    free.add(freeAtUs + (inputs[inputIndex]?.samples ?? 1), takes[taken] as () => void)
    return taken
  })
}

function arrivalsOf(plan: LevelPlan): number[] {
  return poissonArrivalsUs({
    sessions: plan.sessions.length,
    concurrency: plan.concurrency,
    meanSessionUs: meanSessionUs(plan),
    seed: plan.startSeed,
  })
}
