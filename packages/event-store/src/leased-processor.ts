import type { Documents } from '@assay/documents'
import type { LeaderElection } from './leader-election.ts'
import type { EventStore } from './port.ts'
import { createProcessor, type Processor, type ProcessorOptions } from './processor.ts'

/** How services create their processors: alone in one process, by lease among replicas. */
export type MakeProcessor = (options: ProcessorOptions) => Processor

/** Dependencies of processors. Default of `makeProcessor`: `createProcessor`. */
export interface ProcessorDeps extends Pick<ProcessorOptions, 'checkpoints' | 'timers' | 'clock' | 'onError'> {
  store: EventStore
  /** Documents with the snapshots of long streams. */
  documents?: Pick<Documents, 'get'>
  makeProcessor?: MakeProcessor
}

/** Pause to collect a larger batch, because replicas reach their stores over a network. */
const batchDelayMs = 10
/** Maximum that `lag` reports. */
const maxLag = 10_000

/**
 * Processors that run in the replica that holds the lease of `election`. When that replica stops or dies, the next
 * holder continues from the shared checkpoint.
 */
export function createLeasedProcessors(election: LeaderElection): MakeProcessor {
  return (options) => {
    const { name, store, checkpoints, categories } = options
    const inner = createProcessor({ batchDelayMs, ...options, fence: election.fence })
    let leave: (() => Promise<void>) | undefined
    let isRunning = false

    const work = {
      async start() {
        await inner.start()
        isRunning = true
      },
      async stop() {
        isRunning = false
        await inner.stop()
      },
    }

    return {
      ...inner,
      async start() {
        leave ??= election.join(work)
      },
      async stop() {
        await leave?.()
        leave = undefined
      },
      async lag() {
        if (isRunning) return inner.lag()
        let after = await checkpoints.get(name)
        for (let count = 0; ; ) {
          const slice = await store.readAll({ categories, after, limit: 1000 })
          count += slice.events.length
          if (slice.atEnd || count >= maxLag) return Math.min(count, maxLag)
          after = slice.position
        }
      },
    }
  }
}
