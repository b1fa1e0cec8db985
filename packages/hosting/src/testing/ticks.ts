import type { Timers } from '@assay/service-kit'

/** Timers of work that repeats, which a spec fires instead of time: `tick` does all of it that is not stopped, once. */
export function createTicks(): Pick<Timers, 'every'> & { tick(): void } {
  const works = new Set<() => void>()
  return {
    tick() {
      for (const work of [...works]) work()
    },
    every(_milliseconds, work) {
      works.add(work)
      return { stop: () => works.delete(work) }
    },
  }
}
