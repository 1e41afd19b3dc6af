/** A file of a tree before it is written. */
export interface TreeFile {
  /** Below the tree. */
  readonly path: string
  readonly content: string | Uint8Array
}
