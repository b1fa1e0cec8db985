import type { Documents } from '@assay/documents'
import type { Exclusive } from './exclusive.ts'
import type { EventStore } from './port.ts'
import { createProcessor, type Processor, type ProcessorOptions } from './processor.ts'

/** How services create their processors: alone in one process, by lease among replicas. */
export type MakeProcessor = (options: ProcessorOptions) => Processor

/** Dependencies of processors; `makeProcessor` is by default `createProcessor`. */
export interface ProcessorDeps extends Pick<ProcessorOptions, 'checkpoints' | 'timers' | 'clock' | 'onError'> {
  store: EventStore
  /** For the snapshots of long streams. */
  documents?: Pick<Documents, 'get'>
  makeProcessor?: MakeProcessor
}

/** Replicas share their stores over a network. */
const gatherMs = 10
/** Where `lag` stops counting. */
const maxLag = 10_000

/**
 * Processors that run in the replica that holds the lease of `exclusive`. When it stops or dies, the next holder
 * continues from the shared checkpoint.
 */
export function createLeasedProcessors(exclusive: Exclusive): MakeProcessor {
  return (options) => {
    const { name, store, checkpoints, categories } = options
    const inner = createProcessor({ gatherMs, ...options, fence: exclusive.fence })
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
        leave ??= exclusive.join(work)
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
