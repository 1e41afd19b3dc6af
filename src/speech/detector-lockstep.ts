/**
 * Many independent streams through the speech detector at once. One run of the model takes a window of each of some rows
 * of streams, which costs a third of as many single runs. The number of rows never changes, so that no stream's result can
 * depend on how many others there are: a row whose stream has ended goes on with the next one, or with silence.
 */
import { assert } from '../base/errors.js'
import { WINDOW_SAMPLES } from './speech-segments.js'

/** Samples of the window before that the model sees again. */
export const CONTEXT_SAMPLES = 64
export const INPUT_SAMPLES = CONTEXT_SAMPLES + WINDOW_SAMPLES
/** The model's memory of a stream: this many layers of this many numbers. */
export const MEMORY_LAYERS = 2
export const MEMORY_NUMBERS = 128

/** Mono at 16 kHz: full scale is 1, or 32768 for 16-bit samples. */
export type DetectorAudio = Float32Array | Int16Array

/**
 * One run of the model.
 * @param input `rows` times `INPUT_SAMPLES`, rewritten after the run
 * @param memory layers of rows of numbers: `MEMORY_LAYERS` times `rows` times `MEMORY_NUMBERS`
 * @returns a probability for each row, and the memory after the run, which belongs to the caller
 */
export type LockstepRun = (
  input: Float32Array,
  memory: Float32Array,
) => Promise<{ readonly probabilities: Float32Array; readonly memory: Float32Array }>

interface Row {
  /** Index of the stream. */
  readonly stream: number
  /** Window at hand. */
  window: number
}

/**
 * Speech probabilities of each stream, in the streams' order, each from a fresh state; the last window of each is filled
 * up with zeros. Long streams go first, so that few rows are idle at the end.
 */
export async function lockstepProbabilities(
  streams: readonly DetectorAudio[],
  { rows, run }: { readonly rows: number; readonly run: LockstepRun },
): Promise<Float32Array[]> {
  const results = streams.map(({ length }) => new Float32Array(Math.ceil(length / WINDOW_SAMPLES)))
  const waiting = shortestFirst(results)
  const input = new Float32Array(rows * INPUT_SAMPLES)
  let memory: Float32Array = new Float32Array(MEMORY_LAYERS * rows * MEMORY_NUMBERS)
  const active: (Row | undefined)[] = Array.from({ length: rows }, () => undefined)

  for (;;) {
    for (let index = 0; index < rows; index += 1) {
      let row = active[index]
      if (row === undefined || row.window === results[row.stream]?.length) {
        const stream = waiting.pop()
        const next = stream === undefined ? undefined : { stream, window: 0 }
        if (next !== undefined || row !== undefined) startAfresh(input, memory, { row: index, rows })
        row = next
        active[index] = next
      }
      if (row !== undefined) {
        fillWindow(input.subarray(index * INPUT_SAMPLES, (index + 1) * INPUT_SAMPLES), streams[row.stream], row.window)
      }
    }
    if (active.every((row) => row === undefined)) return results
    const after = await run(input, memory)
    assert(after.probabilities.length === rows, 'the model returns one probability for each row')
    memory = after.memory
    for (const [index, row] of active.entries()) {
      if (row === undefined) continue
      const result = results[row.stream] as Float32Array
      result[row.window] = after.probabilities[index] as number
      row.window += 1
    }
  }
}

/** Streams that have windows, to be taken from the end; of equal ones the first in order comes first. */
function shortestFirst(results: readonly Float32Array[]): number[] {
  const windows = (stream: number) => (results[stream] as Float32Array).length
  return [...results.keys()].filter((stream) => windows(stream) > 0).sort((a, b) => windows(a) - windows(b) || b - a)
}

function startAfresh(
  input: Float32Array,
  memory: Float32Array,
  { row, rows }: { readonly row: number; readonly rows: number },
): void {
  input.fill(0, row * INPUT_SAMPLES, (row + 1) * INPUT_SAMPLES)
  for (let layer = 0; layer < MEMORY_LAYERS; layer += 1) {
    const start = (layer * rows + row) * MEMORY_NUMBERS
    memory.fill(0, start, start + MEMORY_NUMBERS)
  }
}

/** The end of the last window becomes the context of this one. */
function fillWindow(input: Float32Array, audio: DetectorAudio | undefined, window: number): void {
  assert(audio !== undefined, 'a row has a stream')
  const start = window * WINDOW_SAMPLES
  const samples = Math.min(WINDOW_SAMPLES, audio.length - start)
  input.copyWithin(0, WINDOW_SAMPLES)
  if (audio instanceof Float32Array) {
    input.set(audio.subarray(start, start + samples), CONTEXT_SAMPLES)
  } else {
    for (let at = 0; at < samples; at += 1) input[CONTEXT_SAMPLES + at] = (audio[start + at] as number) / 32768
  }
  input.fill(0, CONTEXT_SAMPLES + samples)
}
