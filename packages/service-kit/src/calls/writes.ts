import { AsyncLocalStorage } from 'node:async_hooks'

/** Of one request. Who writes more is told of the last ones. */
const maxNoted = 16

const running = new AsyncLocalStorage<{ positions: string[]; isOver: boolean }>()

/**
 * Does a piece of work, and answers where its writes stand in the log of its service, as `noteWrite` was told within it.
 * What the work leaves running behind it is not waited for.
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

/** Whether somebody asks where the writes of this work stand. */
export function isCollectingWrites(): boolean {
  return running.getStore()?.isOver === false
}

/** Does a piece of work whose writes are nothing that its caller could look for. */
export function leaveUnnoted<T>(work: () => Promise<T>): Promise<T> {
  return running.run({ positions: [], isOver: true }, work)
}

/** Something was written, at this position, of which the service tells the others. */
export function noteWrite(position: string): void {
  const collected = running.getStore()
  if (collected === undefined || collected.isOver || collected.positions.includes(position)) return
  collected.positions.push(position)
  if (collected.positions.length > maxNoted) collected.positions.shift()
}
