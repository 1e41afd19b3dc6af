/** What the local recognizer's process and its parent say to each other. Pure. */

export interface ParakeetFiles {
  readonly encoder: string
  readonly decoder: string
  readonly joiner: string
  readonly tokens: string
}

export type ToParakeet =
  | {
      readonly kind: 'load'
      /** A package name, or the path of a module with the same functions. */
      readonly module: string
      readonly files: ParakeetFiles
      readonly threads: number
    }
  | { readonly kind: 'transcribe'; readonly id: number; readonly pcm: Int16Array }

export type FromParakeet =
  | {
      readonly kind: 'ready'
      /** Of the package; null where it has none. */
      readonly version: string | null
    }
  /** The package is not installed. */
  | { readonly kind: 'absent'; readonly message: string }
  /** The package is there and cannot work with the model. */
  | { readonly kind: 'unusable'; readonly message: string }
  | {
      readonly kind: 'tokens'
      readonly id: number
      readonly text: string
      readonly tokens: readonly string[]
      readonly timestamps: readonly number[]
      readonly durations: readonly number[]
    }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
