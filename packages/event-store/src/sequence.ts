import type { Clock, NewId, Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { lastEvent } from './last-event.ts'
import { createMutex, type Mutex } from './mutex.ts'
import { type EventStore, type RecordedEvent, streamName } from './port.ts'
import { retryOnConflict } from './retry-on-conflict.ts'
import { systemEvent } from './system-event.ts'

const defaultBlockSize = 50

export interface NumberBlocks {
  /**
   * `count` unique, increasing numbers from 1. Restarts and other processes leave gaps, and another process may return
   * smaller numbers later. `ahead`: the number that the caller will take in all, which are reserved together.
   */
  take(tenant: string, name: string, count?: number, ahead?: number): Promise<number[]>
}

interface Sequence {
  mutex: Mutex
  next: number
  /** The last number of the block. */
  to: number
}

function reservedUpTo(event: RecordedEvent | undefined): number {
  if (event === undefined) return 0
  const { to } = event.data
  if (typeof to === 'number') return to
  throw new AssayError('internal', 'The stream of a sequence has an event of another kind.', {
    details: { stream: event.stream, revision: event.revision },
  })
}

/**
 * Numeric ids from blocks that are reserved in the log (stream `<tenant>/sequence-<name>`) before any of their numbers
 * is used. `blockSizes`: numbers per block, by name; default 50.
 */
export function createNumberBlocks(options: {
  store: Pick<EventStore, 'read' | 'append'>
  clock: Clock
  timers: Pick<Timers, 'sleep'>
  newId: NewId
  blockSizes?: { readonly [name: string]: number }
}): NumberBlocks {
  const { store } = options
  const sequences = new Map<string, Sequence>()

  /** Reserves at least `count` numbers and returns the first and the last. */
  async function reserve(tenant: string, name: string, count: number): Promise<{ from: number; to: number }> {
    const stream = streamName(tenant, 'sequence', name)
    const size = Math.max(count, options.blockSizes?.[name] ?? defaultBlockSize)
    return retryOnConflict(options.timers, async () => {
      const { event: last, revision } = await lastEvent(store, stream)
      const from = reservedUpTo(last) + 1
      const to = from + size - 1
      const event = systemEvent(options, tenant, 'NumbersReserved', { from, to })
      await store.append(stream, [event], revision === -1 ? 'none' : revision)
      return { from, to }
    })
  }

  async function takeFrom(
    sequence: Sequence,
    { tenant, name, count, ahead }: { tenant: string; name: string; count: number; ahead: number },
  ): Promise<number[]> {
    const numbers: number[] = []
    while (numbers.length < count) {
      if (sequence.next > sequence.to) {
        const { from, to } = await reserve(tenant, name, Math.max(count, ahead) - numbers.length)
        sequence.next = from
        sequence.to = to
      }
      numbers.push(sequence.next++)
    }
    return numbers
  }

  return {
    take(tenant, name, count = 1, ahead = count) {
      const key = streamName(tenant, 'sequence', name)
      const sequence = sequences.get(key) ?? { mutex: createMutex(), next: 1, to: 0 }
      sequences.set(key, sequence)
      return sequence.mutex.run(() => takeFrom(sequence, { tenant, name, count, ahead }))
    },
  }
}
