/** Cuts a stream that arrives in pieces into windows of one length; what is left over waits for the next piece. Pure. */

export interface CutWindows {
  readonly windows: readonly Float32Array[]
  readonly rest: Float32Array
}

export function cutWindows(rest: Float32Array, more: Float32Array, windowSamples: number): CutWindows {
  const all = new Float32Array(rest.length + more.length)
  all.set(rest)
  all.set(more, rest.length)
  const windows: Float32Array[] = []
  let from = 0
  for (; from + windowSamples <= all.length; from += windowSamples) windows.push(all.slice(from, from + windowSamples))
  return { windows, rest: all.slice(from) }
}
