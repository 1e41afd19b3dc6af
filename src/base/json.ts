/** JSON as it goes into files: two spaces, a final line feed, keys in the order of the object. Same value, same bytes. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
