import type { Clock, NewId } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { lastEvent } from './last-event.ts'
import { createMutex } from './mutex.ts'
import { type EventStore, type JsonObject, type RecordedEvent, streamName } from './port.ts'
import { systemEvent } from './system-event.ts'

/** Leases belong to the installation, not to a tenant. */
const tenant = 'system'

/**
 * Number of events that a truncation keeps. Only the last event of a lease counts. A few more remain, so that a retry
 * after a lost answer finds its event.
 */
const keptEvents = 10
/** Number of renewals between two truncations of the stream: about half an hour. */
const renewalsBetween = 1_000

export interface Lease {
  /**
   * Higher than the fence of every earlier holder. A lower fence shows that work comes from a holder that has lost the
   * lease.
   */
  fence: number
  /**
   * False if another owner has the lease: then stop the work that the lease protects. May be called during another
   * renewal.
   */
  renew(): Promise<boolean>
  /** Lets another owner acquire the lease immediately. */
  release(): Promise<void>
}

export interface Leases {
  /** The lease, or `undefined` while another owner holds it. The same owner can acquire it again, with a new fence. */
  acquire(name: string, owner: string, ttlMs: number): Promise<Lease | undefined>
}

interface Held {
  fence: number
  owner: string
  expiresAt: number
  released: boolean
}

function held(event: RecordedEvent): Held {
  const { fence, owner, expiresAt } = event.data
  if (typeof fence !== 'number' || typeof owner !== 'string' || typeof expiresAt !== 'number') {
    throw new AssayError('internal', 'The stream of a lease has an event of another kind.', {
      details: { stream: event.stream, revision: event.revision },
    })
  }
  return { fence, owner, expiresAt, released: event.type === 'LeaseReleased' }
}

/**
 * A lease with one holder at a time, by appends to `system/lease-<name>`: of several requests at the same revision,
 * only one succeeds. The expiry compares clocks of different machines, so it only decides who may try to acquire the
 * lease. The append and the fence decide who holds it. An idle service renews some 50,000 times a day, so superseded
 * events are truncated.
 */
export function createLeases(options: {
  store: Pick<EventStore, 'read' | 'append' | 'truncate'>
  clock: Clock
  newId: NewId
}): Leases {
  const { store, clock } = options

  /** Revision of the new event; `undefined` if another was first. */
  async function append(stream: string, type: string, data: JsonObject, revision: number): Promise<number | undefined> {
    const event = systemEvent(options, tenant, type, data)
    try {
      const appended = await store.append(stream, [event], revision === -1 ? 'none' : revision)
      return appended.revision
    } catch (error) {
      if (isAssayError(error, 'conflict')) return undefined
      throw error
    }
  }

  /** Best effort: if it fails, the next truncation removes the events. */
  async function truncateStream(stream: string): Promise<void> {
    await store.truncate?.(stream, keptEvents).catch(() => undefined)
  }

  return {
    async acquire(name, owner, ttlMs) {
      const stream = streamName(tenant, 'lease', name)
      const last = await lastEvent(store, stream)
      const before = last.event && held(last.event)
      const free = before === undefined || before.released || before.owner === owner || before.expiresAt <= clock.now()
      if (!free) return undefined
      const fence = (before?.fence ?? 0) + 1
      const data = (): JsonObject => ({ owner, fence, expiresAt: clock.now() + ttlMs })
      let revision = await append(stream, 'LeaseTaken', data(), last.revision)
      if (revision === undefined) return undefined
      void truncateStream(stream)
      let renewals = 0
      // Serialised: two concurrent appends of one holder would each look like another holder's.
      const mutex = createMutex()
      return {
        fence,
        renew: () =>
          mutex.run(async () => {
            if (revision !== undefined) revision = await append(stream, 'LeaseRenewed', data(), revision)
            if (++renewals % renewalsBetween === 0) void truncateStream(stream)
            return revision !== undefined
          }),
        release: () =>
          mutex.run(async () => {
            if (revision !== undefined) await append(stream, 'LeaseReleased', data(), revision)
            revision = undefined
          }),
      }
    },
  }
}
