/**
 * Keeps a detection thread from being ended in the middle of a call into the inference runtime, which would abort the whole
 * process: the runtime's native code throws when its thread is gone on return. Shared by the thread and who may end it.
 */

/** Cells of the shared memory. */
const IS_SHUT = 0
const CALLS_INSIDE = 1

/** One model run takes a millisecond and loading a model a tenth of a second, so this is never reached but by a dead thread. */
const WAIT_MS_MAX = 2000

export class RuntimeGate {
  readonly #cells: Int32Array

  /** @param memory of the gate's other end; without it a gate is made that is open */
  constructor(memory?: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory ?? new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  }

  get memory(): SharedArrayBuffer {
    return this.#cells.buffer as SharedArrayBuffer
  }

  /**
   * On the thread: does what calls the runtime. Calls may be nested.
   * @throws Error where the gate is shut
   */
  async pass<T>(call: () => Promise<T>): Promise<T> {
    // Counted first and looked after that, so that no call slips in between the other end's shutting and its look.
    Atomics.add(this.#cells, CALLS_INSIDE, 1)
    try {
      if (Atomics.load(this.#cells, IS_SHUT) === 1) throw new Error('the thread is to end')
      return await call()
    } finally {
      Atomics.sub(this.#cells, CALLS_INSIDE, 1)
      Atomics.notify(this.#cells, CALLS_INSIDE)
    }
  }

  /** On the other end: lets no further call in, and blocks until those inside are out. Then the thread may be ended. */
  shut(): void {
    Atomics.store(this.#cells, IS_SHUT, 1)
    for (;;) {
      const inside = Atomics.load(this.#cells, CALLS_INSIDE)
      if (inside === 0 || Atomics.wait(this.#cells, CALLS_INSIDE, inside, WAIT_MS_MAX) === 'timed-out') return
    }
  }
}
