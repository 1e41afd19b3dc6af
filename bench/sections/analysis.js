/** Facts of sessions from their traces, at speed. */
import { measuredBy } from '../measure/measured-by.js'

export const title = 'analysis'

export async function run(settings) {
  const { measureAnalysis } = await import('../analysis.js')
  return measuredBy(title, settings, measureAnalysis)
}
