import type { SecondTimers } from '@assay/service-kit'

/** Intervals that a test fires: `tick` runs the work of each active interval once. */
export function createTicks(): Pick<SecondTimers, 'every' | 'everySecond'> & { tick(): void } {
  const works = new Set<() => void>()
  const add = (work: () => void) => {
    works.add(work)
    return { stop: () => works.delete(work) }
  }
  return {
    tick() {
      for (const work of [...works]) work()
    },
    every: (_milliseconds, work) => add(work),
    everySecond: (work) => add(() => void work()),
  }
}
