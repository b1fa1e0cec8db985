import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type NewId } from '@assay/service-kit'
import { assetStreamId } from '../asset/uid.ts'
import { uidReservationAggregate } from '../uid-reservation/aggregate.ts'
import { holdMs, type Reserved, refusedUids } from '../uid-reservation/uid-reservation.ts'
import { createLimiter } from './limiter.ts'

/** Maximum number of concurrent appends for one asset: each nested column is the parent of its fields. */
const parentsAtOnce = 16

/**
 * Reserves UIDs in the log before they are assigned, because a column has no stream whose name would reserve its UID.
 * After reserving, callers check the documents, which show the UIDs of written assets.
 */
export interface UidReservations {
  /** Returns the `uids` that another asset is about to get, and reserves all others for `assetUid` or its columns. */
  reserve(tenant: string, uids: readonly string[], assetUid: string): Promise<Set<string>>
  /** Ends the reservation of UIDs that are written, or that no asset will get. */
  release(tenant: string, uids: readonly string[]): void
  /** Whether reservations made since `startedAt` are valid long enough for another write. */
  isHeld(startedAt: number): boolean
}

/** For a process without replicas: `UidClaims` are enough. */
export const withoutReplicas: UidReservations = {
  reserve: async () => new Set(),
  release: () => {},
  isHeld: () => true,
}

/** A UID is reserved in the stream of its parent, so that all assets that may get it use the same stream. */
function parentOf(uid: string): string {
  return uid.slice(0, uid.lastIndexOf('.'))
}

export function createUidReservations(deps: { handler: CommandHandler; clock: Clock; newId: NewId }): UidReservations {
  const { handler, clock } = deps
  const process = deps.newId()
  /** The UIDs that this process is about to assign, each with its owner, by parent. */
  const open = new Map<string, Map<string, string>>()
  const keyOf = (tenant: string, parent: string) => JSON.stringify([tenant, parent])

  function openBelow(tenant: string, parent: string): Reserved {
    const uids = [...(open.get(keyOf(tenant, parent)) ?? [])]
    const byOwner = Map.groupBy(uids, ([, owner]) => owner)
    return Object.fromEntries([...byOwner].map(([owner, held]) => [owner, held.map(([uid]) => uid)]))
  }

  async function reserveBelow(parent: string, tenant: string, asked: Reserved): Promise<Set<string>> {
    const key = keyOf(tenant, parent)
    const owners = open.get(key) ?? new Map<string, string>()
    open.set(key, owners)
    for (const [owner, uids] of Object.entries(asked)) for (const uid of uids) owners.set(uid, owner)
    const of = { process, at: isoTime(clock.now()) }
    const { state } = await handler.handle(uidReservationAggregate, {
      tenant,
      id: assetStreamId(parent),
      command: { type: 'ReserveUids', ...of, reserved: openBelow(tenant, parent) },
      context: { actor: 'system' },
    })
    return refusedUids({ ...of, reserved: asked }, state)
  }

  return {
    isHeld: (startedAt) => clock.now() - startedAt < holdMs / 2,
    async reserve(tenant, all, assetUid) {
      const owner = assetStreamId(assetUid)
      const refused = new Set<string>()
      const limiter = createLimiter(parentsAtOnce)
      let failure: { error: unknown } | undefined
      for (const [parent, uids] of Map.groupBy(all, parentOf)) {
        if (failure !== undefined) break
        await limiter.begin(async () => {
          try {
            for (const uid of await reserveBelow(parent, tenant, { [owner]: uids })) refused.add(uid)
          } catch (error) {
            failure ??= { error }
          }
        })
      }
      await limiter.idle()
      if (failure !== undefined) throw failure.error
      return refused
    },
    release(tenant, all) {
      for (const [parent, uids] of Map.groupBy(all, parentOf)) {
        const owners = open.get(keyOf(tenant, parent))
        for (const uid of uids) owners?.delete(uid)
        if (owners?.size === 0) open.delete(keyOf(tenant, parent))
      }
    },
  }
}
