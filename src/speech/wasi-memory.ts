/**
 * The part of WASI preview 1 that a program needs which reads its arguments and writes one file, all in memory: no disk,
 * no clock, no environment, so that the same arguments always give the same bytes.
 *
 * Why not `node:wasi`: on Node 20 its fast calls crash the process (nodejs/node issues 46777 and 52402); the synthesizer
 * ended 7 of 40 runs of four utterances with a segmentation fault. It also prints an experimental warning and needs a
 * folder on disk.
 * Source: WebAssembly/WASI, `legacy/preview1/docs.md`.
 */
import { assert } from '../base/errors.js'

/** The folder in which the program finds its one file. */
export const WASI_FOLDER = '/out'

const ERRNO = { success: 0, badf: 8, fbig: 22, inval: 28, noent: 44, nosys: 52 } as const
const FD = { stdout: 1, stderr: 2, folder: 3, file: 4 } as const
const FILE_TYPE = { characterDevice: 2, directory: 3, regularFile: 4 } as const
const FILE_BYTES_MAX = 64 * 1024 * 1024
const MESSAGE_BYTES_MAX = 4096

/** What `proc_exit` throws to leave the program; `MemoryWasi.run` catches it. */
class ProgramExit {
  constructor(readonly code: number) {}
}

export class MemoryWasi {
  readonly #args: readonly Uint8Array[]
  #memory: { readonly buffer: ArrayBufferLike } | undefined
  #file = new Uint8Array(256 * 1024)
  #fileBytes = 0
  #position = 0
  #message = ''

  constructor(args: readonly string[]) {
    const encoder = new TextEncoder()
    this.#args = args.map((arg) => encoder.encode(`${arg}\0`))
  }

  /** What the program wrote into its file. */
  get file(): Uint8Array {
    return this.#file.subarray(0, this.#fileBytes)
  }

  /** What the program said on stdout and stderr, cut to its first 4 KiB; for error messages. */
  get message(): string {
    return this.#message
  }

  /** Runs the program to its end. @returns its exit code */
  run(memory: { readonly buffer: ArrayBufferLike }, start: () => void): number {
    this.#memory = memory
    try {
      start()
      return 0
    } catch (thrown) {
      if (thrown instanceof ProgramExit) return thrown.code
      throw thrown
    }
  }

  /**
   * The import object's `wasi_snapshot_preview1`. Pointers and sizes are 32-bit and arrive signed; a 64-bit parameter
   * arrives as a bigint. A function not listed here fails the instantiation, by design.
   */
  readonly imports = {
    args_sizes_get: (countAt: number, bytesAt: number): number => {
      const bytes = this.#args.reduce((sum, arg) => sum + arg.length, 0)
      return this.#writeU32(countAt, this.#args.length) || this.#writeU32(bytesAt, bytes)
    },
    args_get: (pointersAt: number, bytesAt: number): number => {
      let at = bytesAt
      for (const [index, arg] of this.#args.entries()) {
        this.#writeU32(pointersAt + 4 * index, at)
        this.#bytes().set(arg, at >>> 0)
        at += arg.length
      }
      return ERRNO.success
    },
    clock_time_get: (_clock: number, _precision: bigint, timeAt: number): number => {
      this.#view().setBigUint64(timeAt >>> 0, 0n, true)
      return ERRNO.success
    },
    fd_prestat_get: (fd: number, resultAt: number): number => {
      if (fd !== FD.folder) return ERRNO.badf
      return this.#writeU32(resultAt, 0) || this.#writeU32(resultAt + 4, WASI_FOLDER.length)
    },
    fd_prestat_dir_name: (fd: number, pathAt: number, pathBytes: number): number => {
      if (fd !== FD.folder) return ERRNO.badf
      this.#bytes().set(new TextEncoder().encode(WASI_FOLDER).subarray(0, pathBytes), pathAt >>> 0)
      return ERRNO.success
    },
    fd_fdstat_get: (fd: number, statAt: number): number => {
      if (fd < 0 || fd > FD.file) return ERRNO.badf
      const type = [FILE_TYPE.directory, FILE_TYPE.regularFile][fd - FD.folder] ?? FILE_TYPE.characterDevice
      const view = this.#view()
      view.setUint8(statAt >>> 0, type)
      view.setUint16((statAt >>> 0) + 2, 0, true)
      view.setBigUint64((statAt >>> 0) + 8, 0xffff_ffff_ffff_ffffn, true)
      view.setBigUint64((statAt >>> 0) + 16, 0xffff_ffff_ffff_ffffn, true)
      return ERRNO.success
    },
    fd_fdstat_set_flags: (): number => ERRNO.success,
    // There is one file, made anew by each opening; its name and the flags do not matter.
    path_open: (...args: (number | bigint)[]): number => {
      if (args[0] !== FD.folder) return ERRNO.noent
      this.#fileBytes = 0
      this.#position = 0
      return this.#writeU32(Number(args[8]), FD.file)
    },
    fd_close: (): number => ERRNO.success,
    fd_seek: (fd: number, offset: bigint, whence: number, resultAt: number): number => {
      if (fd !== FD.file) return ERRNO.badf
      const base = [0, this.#position, this.#fileBytes][whence] ?? Number.NaN
      const position = base + Number(offset)
      if (!(position >= 0 && position <= FILE_BYTES_MAX)) return ERRNO.inval
      this.#position = position
      this.#view().setBigUint64(resultAt >>> 0, BigInt(position), true)
      return ERRNO.success
    },
    fd_read: (): number => ERRNO.nosys,
    fd_write: (fd: number, vectorsAt: number, vectorCount: number, writtenAt: number): number => {
      let written = 0
      for (let index = 0; index < vectorCount; index += 1) {
        const view = this.#view()
        const at = view.getUint32((vectorsAt >>> 0) + 8 * index, true)
        const length = view.getUint32((vectorsAt >>> 0) + 8 * index + 4, true)
        const errno = this.#write(fd, this.#bytes().subarray(at, at + length))
        if (errno !== ERRNO.success) return errno
        written += length
      }
      return this.#writeU32(writtenAt, written)
    },
    proc_exit: (code: number): never => {
      throw new ProgramExit(code)
    },
  }

  #write(fd: number, bytes: Uint8Array): number {
    if (fd === FD.stdout || fd === FD.stderr) {
      if (this.#message.length < MESSAGE_BYTES_MAX) this.#message += new TextDecoder().decode(bytes)
      return ERRNO.success
    }
    if (fd !== FD.file) return ERRNO.badf
    const end = this.#position + bytes.length
    if (end > FILE_BYTES_MAX) return ERRNO.fbig
    if (end > this.#file.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#file.length))
      larger.set(this.#file)
      this.#file = larger
    }
    this.#file.set(bytes, this.#position)
    this.#position = end
    this.#fileBytes = Math.max(this.#fileBytes, end)
    return ERRNO.success
  }

  #writeU32(at: number, value: number): number {
    this.#view().setUint32(at >>> 0, value, true)
    return ERRNO.success
  }

  // Views are made anew on each call: the memory's buffer is replaced when the program grows it.
  #view(): DataView {
    assert(this.#memory !== undefined, 'the program calls WASI only while it runs')
    return new DataView(this.#memory.buffer)
  }

  #bytes(): Uint8Array {
    assert(this.#memory !== undefined, 'the program calls WASI only while it runs')
    return new Uint8Array(this.#memory.buffer)
  }
}
