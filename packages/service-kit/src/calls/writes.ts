import { AsyncLocalStorage } from 'node:async_hooks'

/** Maximum number of reported writes per request. If there are more, the last ones are reported. */
const maxNoted = 16

/** What a request has written. `positions`: in the log, of published writes. `states`: such as `tag-12@3`. */
export interface NotedWrites {
  positions: readonly string[]
  states: readonly string[]
}

const running = new AsyncLocalStorage<{ positions: string[]; states: string[]; isOver: boolean }>()

/** Runs `work` and returns its writes, as reported by `noteWrite`. Work that continues in the background is not awaited. */
export async function collectWrites<T>(work: () => Promise<T>): Promise<{ result: T } & NotedWrites> {
  const collected: { positions: string[]; states: string[]; isOver: boolean } = {
    positions: [],
    states: [],
    isOver: false,
  }
  try {
    const result = await running.run(collected, work)
    return { result, positions: collected.positions, states: collected.states }
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
  return running.run({ positions: [], states: [], isOver: true }, work)
}

/**
 * Reports a write. `state`: the stream and its revision after the write. `position`: in the log, if the service
 * publishes the write.
 */
export function noteWrite({ state, position }: { state?: string | undefined; position?: string | undefined }): void {
  const collected = running.getStore()
  if (collected === undefined || collected.isOver) return
  note(collected.states, state)
  note(collected.positions, position)
}

function note(noted: string[], text: string | undefined): void {
  if (text === undefined || noted.includes(text)) return
  noted.push(text)
  if (noted.length > maxNoted) noted.shift()
}
