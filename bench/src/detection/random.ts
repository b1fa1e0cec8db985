/** Repeatable random numbers (mulberry32). */
export interface Random {
  /** From 0 up to 1. */
  uniform(): number
  /** Of a normal distribution with mean 0 and standard deviation 1. */
  normal(): number
  poisson(mean: number): number
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  const poisson = (mean: number) => {
    const least = Math.exp(-mean)
    let count = 0
    for (let left = uniform(); left > least; left *= uniform()) count += 1
    return count
  }
  return { uniform, normal, poisson }
}
