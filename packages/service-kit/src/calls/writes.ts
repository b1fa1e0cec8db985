import { AsyncLocalStorage } from 'node:async_hooks'

/** Maximum number of reported writes per request. If there are more, the last ones are reported. */
const maxNoted = 16

const running = new AsyncLocalStorage<{ positions: string[]; isOver: boolean }>()

/**
 * Runs `work` and returns the log positions of its writes, as reported by `noteWrite`. Work that continues in the
 * background is not awaited.
 */
export async function collectWrites<T>(work: () => Promise<T>): Promise<{ result: T; positions: readonly string[] }> {
  const collected = { positions: [] as string[], isOver: false }
  try {
    const result = await running.run(collected, work)
    return { result, positions: collected.positions }
  } finally {
    collected.isOver = true
  }
}

/** Whether a caller collects the positions of writes. */
export function isCollectingWrites(): boolean {
  return running.getStore()?.isOver === false
}

/** Runs `work` without collecting its writes, for a caller who cannot wait for them. */
export function leaveUnnoted<T>(work: () => Promise<T>): Promise<T> {
  return running.run({ positions: [], isOver: true }, work)
}

/** Reports the position of a write that the service publishes. */
export function noteWrite(position: string): void {
  const collected = running.getStore()
  if (collected === undefined || collected.isOver || collected.positions.includes(position)) return
  collected.positions.push(position)
  if (collected.positions.length > maxNoted) collected.positions.shift()
}
