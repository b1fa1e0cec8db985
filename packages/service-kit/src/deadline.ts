import type { Timers } from './ambient.ts'

/**
 * Does `work` with a signal that aborts with `late` after so many milliseconds, or as one of `signals` does. Settles when the
 * work does, which has to heed its signal; rejects with `late` where the work fails after its time. Leaves no timer behind.
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
