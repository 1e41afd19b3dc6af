/** The inputs of a level in the form in which they go over the wire. */
import { readFile } from 'node:fs/promises'
import type { ProtocolDriver } from '../protocol/registry.js'
import type { WirePackets } from '../protocol/script.js'
import type { LevelPlan } from './level-plan.js'

/** Packets of the plan's inputs, in their order; inputs that are not asked for are left out. */
export async function wireInputs(
  plan: LevelPlan,
  driver: ProtocolDriver,
  inputIndices: ReadonlySet<number>,
): Promise<(WirePackets | undefined)[]> {
  return Promise.all(
    plan.inputs.map(async ({ file }, index) => {
      if (!inputIndices.has(index)) return undefined
      const pcm = await readFile(file)
      const samples = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength))
      return driver.packets(samples, plan.profile)
    }),
  )
}
