import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from './load.ts'

const timeoutMs = 120_000

/** Resolves when `more` further writes have been acknowledged; rejects after two minutes. */
export async function flowing(load: Load, more: number): Promise<void> {
  const enough = load.count('acknowledged') + more
  const end = performance.now() + timeoutMs
  while (load.count('acknowledged') < enough) {
    if (performance.now() > end)
      throw new Error(`Only ${load.count('acknowledged')} of ${enough} writes were acknowledged within two minutes.`)
    await sleep(20)
  }
}
