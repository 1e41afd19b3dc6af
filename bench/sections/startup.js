/** From the command to its first words. */
import { measuredBy } from '../measure/measured-by.js'

export const title = 'start-up, ms'

export async function run(settings) {
  const { measureStartup } = await import('../startup.js')
  return measuredBy(title, settings, measureStartup)
}
