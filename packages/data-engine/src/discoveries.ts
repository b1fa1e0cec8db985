import type { Discovered } from './dataset.ts'

/**
 * Iterates over the items that `produce` emits. If `produce` rejects, so does the iteration. Leaving the loop aborts
 * `ended`.
 */
export async function* discoveries(
  produce: (ended: AbortSignal, emit: (found: Discovered, taken: () => void) => void) => Promise<unknown>,
): AsyncGenerator<Discovered> {
  const ended = new AbortController()
  const waiting: { found: Discovered; taken: () => void }[] = []
  let wake = Promise.withResolvers<void>()
  const outcomes: { error?: unknown }[] = []
  const emit = (found: Discovered, taken: () => void) => {
    waiting.push({ found, taken })
    wake.resolve()
  }
  const finish = (how: { error?: unknown }) => {
    outcomes.push(how)
    wake.resolve()
  }
  const producing = produce(ended.signal, emit).then(
    () => finish({}),
    (error: unknown) => finish({ error }),
  )
  try {
    for (;;) {
      for (const { found, taken } of waiting.splice(0)) {
        yield found
        taken()
      }
      if (waiting.length > 0) continue
      const [how] = outcomes
      if (how && 'error' in how) throw how.error
      if (how) return
      await wake.promise
      wake = Promise.withResolvers<void>()
    }
  } finally {
    ended.abort()
    await producing
  }
}
