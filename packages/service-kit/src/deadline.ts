import type { Timers } from './ambient.ts'

/**
 * Runs `work` with a signal that aborts with `late` after the given milliseconds, or when one of `signals` aborts.
 * Settles when `work` settles, so `work` must react to its signal. Rejects with `late` if `work` fails after the
 * deadline. Leaves no timer behind.
 */
export async function withDeadline<T>(
  timers: Pick<Timers, 'sleep'>,
  { milliseconds, late, signals = [] }: { milliseconds: number; late: Error; signals?: readonly AbortSignal[] },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const passed = new AbortController()
  const over = new AbortController()
  const waiting = timers.sleep(milliseconds, over.signal).then(() => {
    if (!over.signal.aborted) passed.abort(late)
  })
  try {
    return await work(AbortSignal.any([passed.signal, ...signals]))
  } catch (error) {
    throw passed.signal.aborted ? late : error
  } finally {
    over.abort()
    await waiting
  }
}
