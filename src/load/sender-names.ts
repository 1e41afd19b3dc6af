/** Names of a sender's files. */

/** Below the run's folder, while the level is recorded. */
export function journalName(sender: number): string {
  return `sender-${sender}.journal`
}
