import { type Copies, collectionsOf, putOfMessage, topicsOf } from '@assay/catalog-copies'
import type { CollectionShape, DocumentPut, Documents } from '@assay/documents'
import {
  type AnyAggregate,
  createRepair,
  type EventStore,
  type Lease,
  type Leases,
  type Position,
  rebuild,
} from '@assay/event-store'
import type { Logger, Timers } from '@assay/service-kit'
import { AssayError, isAssayError, isTransient, messageOf } from '@assay/service-kit/errors'
import type { PartitionOffsets, ReadTopic } from './bus.ts'
import type { Stores } from './stores.ts'

const leaseMs = 15_000
const pollMs = 1_000
const longestPauseMs = 10_000
const putBatch = 500
const logPage = 1_000

/** The read models that a service needs before it can answer. */
export interface ReadModels {
  /** Resolves when all read models have this version, built here or by another replica, or when `signal` aborts. */
  ensure(signal: AbortSignal): Promise<void>
  /** A sentence while a read model is missing. */
  progress(): string | undefined
}

export interface ReadModelDeps {
  service: string
  store: Pick<EventStore, 'read' | 'readAll'>
  documents: Documents
  rebuilds: Pick<Stores, 'needsRebuild' | 'rebuildTarget' | 'declareBuilt'>
  collections: readonly CollectionShape[]
  aggregates: readonly AnyAggregate[]
  /** Local read models that the bus feeds. */
  copies: Copies
  readTopic: ReadTopic | undefined
  /** Collections that derive from no event or message: a rebuild keeps them. */
  keptCollections: ReadonlySet<string>
  leases: Leases
  owner: string
  timers: Timers
  logger: Logger
}

/**
 * Builds read models that are new in this version, or whose shape has changed. The replica that holds a lease builds
 * them, alongside those that replicas of the previous version use. The service's own documents are rebuilt from the
 * log, local read models of other services from their compacted topics. Then it switches to the new read models. From
 * then on, replicas of the previous version get `unavailable`.
 */
export function createReadModels(deps: ReadModelDeps): ReadModels {
  const { service, store, documents, rebuilds, aggregates, copies, readTopic, leases, timers, logger } = deps
  const repair = createRepair({ store, documents, aggregates })
  let status: string | undefined

  async function missing(): Promise<string[]> {
    return (await rebuilds.needsRebuild()).filter((name) => !deps.keptCollections.has(name))
  }

  /**
   * Reads the topics that feed the collections `fed`, from `after` to their ends, and calls `put` with the document
   * puts. Returns the ends.
   */
  async function readCopies(
    fed: readonly string[],
    after: ReadonlyMap<string, PartitionOffsets>,
    put: (puts: readonly DocumentPut[]) => Promise<void>,
  ): Promise<Map<string, PartitionOffsets>> {
    const ends = new Map<string, PartitionOffsets>()
    if (fed.length > 0 && readTopic === undefined)
      throw new AssayError(
        'internal',
        `The local read models of ${service} cannot be rebuilt, because this bus retains no messages.`,
      )
    for (const topic of topicsOf(copies)) {
      if (!collectionsOf(copies, topic).some((name) => fed.includes(name))) continue
      let waiting: DocumentPut[] = []
      const flush = async (): Promise<void> => {
        const puts = waiting
        waiting = []
        if (puts.length > 0) await put(puts)
      }
      const end = await readTopic?.(topic, after.get(topic), async (message) => {
        const made = putOfMessage(copies, topic, message)
        if (made !== undefined && fed.includes(made.collection.name)) waiting.push(made)
        if (waiting.length >= putBatch) await flush()
      })
      await flush()
      if (end !== undefined) ends.set(topic, end)
    }
    return ends
  }

  /** Whether nothing was ever published. Empty local read models are then complete. */
  async function isFresh(fed: readonly string[]): Promise<boolean> {
    if (rebuilds.declareBuilt === undefined) return false
    const { events, atEnd } = await store.readAll({ categories: repair.categories, limit: 1 })
    if (events.length > 0 || !atEnd) return false
    let messages = 0
    await readCopies(fed, new Map(), async (puts) => {
      messages += puts.length
    })
    return messages === 0
  }

  async function make(stale: readonly string[], signal: AbortSignal): Promise<void> {
    const ofTopics = topicsOf(copies).flatMap((topic) => collectionsOf(copies, topic))
    const fed = stale.filter((name) => ofTopics.includes(name))
    if (await isFresh(fed)) return rebuilds.declareBuilt?.(stale)
    const names = stale.join(', ')
    const about = `The read models ${names} are being rebuilt`
    status = `${about}.`
    const target = rebuilds.rebuildTarget(stale)
    let ends: Map<string, PartitionOffsets> = new Map()
    const { position, events } = await rebuild({
      store,
      aggregates,
      collections: deps.collections.filter(({ name }) => stale.includes(name)),
      target: {
        ...target,
        async commit() {
          ends = await readCopies(fed, new Map(), (puts) => target.put(puts))
          signal.throwIfAborted()
          status = `${about}: they are about to be switched.`
          await target.commit()
        },
      },
      onProgress(count) {
        signal.throwIfAborted()
        status = `${about}: ${count} events so far.`
      },
    })
    // Adds documents of events that replicas of the previous version appended until the switch.
    await catchUp(position)
    await readCopies(fed, ends, (puts) => documents.put(puts))
    logger.info({ collections: stale, events }, 'read models were rebuilt')
  }

  async function catchUp(from: Position): Promise<void> {
    for (let after = from; ; ) {
      const slice = await store.readAll({ categories: repair.categories, after, limit: logPage })
      await repair.handle(slice.events)
      if (slice.atEnd) return
      after = slice.position
    }
  }

  async function whileRenewing<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
    // Ignores a lost lease: the target throws `conflict` in this case, because the next holder's rebuild takes over.
    const renewals = timers.every(leaseMs / 3, () => void lease.renew().catch(() => undefined))
    try {
      return await work()
    } finally {
      renewals.stop()
      await lease.release().catch(() => undefined)
    }
  }

  /** Rebuilds missing read models. False if another replica has the lease. */
  async function settle(signal: AbortSignal): Promise<boolean> {
    const lease = await leases.acquire(`${service}-rebuild`, deps.owner, leaseMs)
    if (lease === undefined) {
      status = 'Another replica is rebuilding the read models.'
      return false
    }
    await whileRenewing(lease, async () => {
      const stale = await missing()
      if (stale.length > 0) await make(stale, signal)
    })
    return true
  }

  return {
    async ensure(signal) {
      if ((await missing()).length === 0) return
      let failures = 0
      while (!signal.aborted) {
        try {
          if (await settle(signal)) break
          failures = 0
        } catch (error) {
          if (signal.aborted) break
          // After a conflict, another replica has taken the rebuild over.
          if (!isTransient(error) && !isAssayError(error, 'conflict')) throw error
          failures += 1
          status = 'The read models must be rebuilt. The last attempt failed, see the log of this process.'
          logger.warn({ error: messageOf(error) }, 'the rebuild of the read models is retried')
        }
        await timers.sleep(Math.min(pollMs * 2 ** failures, longestPauseMs), signal)
      }
      status = undefined
    },
    progress: () => status,
  }
}
