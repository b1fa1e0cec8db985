import type { DocumentPut } from '@assay/documents'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import { type AnyAggregate, fold } from './decider.ts'
import { type EventStore, type Position, parseStreamName, type RecordedEvent } from './port.ts'
import { isSnapshotDue, snapshotAfter } from './snapshots.ts'

/**
 * Maximum number of cached states while the log is read. A stream whose state was evicted is read again at its next
 * event.
 */
const maxHeld = 20_000
const logPage = 2000
const putBatch = 500

/**
 * Receives a complete new set of read models and switches to all of them together. `C` is the target's type of a
 * collection.
 */
export interface RebuildTarget<C> {
  begin(collections: readonly C[]): Promise<void>
  put(puts: readonly DocumentPut[]): Promise<void>
  commit(): Promise<void>
  /** Ends without switching. */
  abandon?(): Promise<void>
}

export interface Rebuilt {
  /**
   * The documents include all events up to here. A repair that starts here adds the events written during the rebuild.
   */
  position: Position
  events: number
  streams: number
}

interface Held {
  aggregate: AnyAggregate
  tenant: string
  id: string
  state: unknown
  revision: number
  position: Position
}

/**
 * Rebuilds the documents of `aggregates` from the whole log. Publishes nothing and runs no commands. An event that
 * cannot be folded stops the rebuild with `internal`, naming stream and position. An error of `onProgress` stops it
 * too. After a failure it abandons the target, and the old documents stay.
 */
export async function rebuild<C>(options: {
  store: Pick<EventStore, 'read' | 'readAll'>
  aggregates: readonly AnyAggregate[]
  collections: readonly C[]
  target: RebuildTarget<C>
  onProgress?: (events: number) => void
}): Promise<Rebuilt> {
  const { store, target } = options
  const byCategory = new Map(options.aggregates.map((aggregate) => [aggregate.category, aggregate]))
  const categories = [...byCategory.keys()]
  const held = new Map<string, Held>()
  let waiting: DocumentPut[] = []
  let streams = 0

  async function flush(least: number): Promise<void> {
    if (waiting.length < least || waiting.length === 0) return
    const puts = waiting
    waiting = []
    await target.put(puts)
  }

  async function release(stream: string, of: Held): Promise<void> {
    held.delete(stream)
    const source = { revision: of.revision, position: of.position }
    waiting.push(...of.aggregate.documents(of.state, { tenant: of.tenant, id: of.id }, source))
    await flush(putBatch)
  }

  function advance(of: Held, events: readonly RecordedEvent[]): void {
    // Only the last snapshot of a stream is used; earlier states would only take memory.
    const lastDue = events.findLastIndex(isSnapshotDue)
    for (const [at, event] of events.entries()) {
      if (event.revision <= of.revision) continue
      try {
        of.state = fold(of.aggregate, of.state, [event])
      } catch (error) {
        throw new AssayError('internal', `An event cannot be folded, so the rebuild stopped: ${messageOf(error)}`, {
          cause: error,
          details: { stream: event.stream, revision: event.revision, position: event.position, type: event.type },
        })
      }
      of.revision = event.revision
      of.position = event.position
      if (at === lastDue) waiting.push(...snapshotAfter(of.aggregate, of, event, of.state))
    }
  }

  async function take(event: RecordedEvent): Promise<void> {
    const name = parseStreamName(event.stream)
    const aggregate = name && byCategory.get(name.category)
    if (name === undefined || aggregate === undefined) return
    waiting.push(...(aggregate.eventDocuments?.(event) ?? []))
    await flush(putBatch)
    const known = held.get(event.stream)
    if (known !== undefined) return advance(known, [event])
    const { tenant, id } = name
    const { position } = event
    const made: Held = { aggregate, tenant, id, state: aggregate.decider.initialState, revision: -1, position }
    if (event.revision === 0) {
      streams += 1
      advance(made, [event])
    } else {
      // The state was evicted, so the whole stream is read. The log's later events of this stream are then skipped.
      advance(made, (await store.read(event.stream)).events)
    }
    held.set(event.stream, made)
    const oldest = held.size > maxHeld ? held.entries().next().value : undefined
    if (oldest !== undefined) await release(...oldest)
  }

  async function fill(): Promise<Rebuilt> {
    let after: Position | undefined
    for (let events = 0; ; ) {
      const slice = await store.readAll({ categories, after, limit: logPage })
      for (const event of slice.events) await take(event)
      events += slice.events.length
      after = slice.position
      options.onProgress?.(events)
      if (!slice.atEnd) continue
      for (const [stream, of] of [...held]) await release(stream, of)
      await flush(1)
      await target.commit()
      return { position: slice.position, events, streams }
    }
  }

  await target.begin(options.collections)
  try {
    return await fill()
  } catch (error) {
    // The error of the rebuild is thrown, not that of `abandon`. The next rebuild takes over a target that was not
    // abandoned.
    await target.abandon?.().catch(() => undefined)
    throw error
  }
}
