/** What was done to a set of clips, in a few lines. */
import type { InputClip } from './input-clip.js'

/**
 * One line for each distinct action, in the order of first use: with the file's name where it concerns one clip, else
 * with the number of files (`3 files: averaged 2 channels`). Clipping counts as one action, however many samples.
 */
export function summarizeActions(clips: readonly Pick<InputClip, 'id' | 'normalization' | 'source'>[]): string[] {
  const usesOfAction = new Map<string, { readonly file: string; readonly action: string }[]>()
  for (const clip of clips) {
    for (const action of clip.normalization) {
      const key = action.replace(/^clipped \d+ samples$/, 'clipped samples')
      const uses = usesOfAction.get(key) ?? []
      usesOfAction.set(key, uses)
      uses.push({ file: clip.source.file ?? clip.id, action })
    }
  }
  return [...usesOfAction].map(([key, uses]) => {
    const [only] = uses
    return only !== undefined && uses.length === 1 ? `${only.file}: ${only.action}` : `${uses.length} files: ${key}`
  })
}
