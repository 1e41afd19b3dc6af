/** To the nearest whole number, half way to the even one: Python's `round`, so that both tools place a sample alike. */
export function roundHalfToEven(value: number): number {
  const below = Math.floor(value)
  const fraction = value - below
  if (fraction !== 0.5) return fraction < 0.5 ? below : below + 1
  return below % 2 === 0 ? below : below + 1
}
