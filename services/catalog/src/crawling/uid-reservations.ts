import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { assetStreamId } from '../asset/uid.ts'
import { uidReservationAggregate } from '../uid-reservation/aggregate.ts'
import { holdMs, isRefused } from '../uid-reservation/uid-reservation.ts'

/**
 * Reserves UIDs in the log before they are given, because a column has no stream whose name would reserve its UID. Once
 * an asset is written, its document shows that its UID is taken, so whoever reserves looks at documents afterwards.
 */
export interface UidReservations {
  /** Answers those of `uids` that another asset is about to get; the others are reserved for `assetUid` or its columns. */
  reserve(tenant: string, uids: readonly string[], assetUid: string): Promise<Set<string>>
  /** Whether what was reserved since `startedAt` is certain to be held until it is written. */
  isHeld(startedAt: number): boolean
}

/** For a process without replicas: `UidClaims` are enough. */
export const withoutReplicas: UidReservations = { reserve: async () => new Set(), isHeld: () => true }

/** All assets that may get one UID agree on the stream that reserves it: that of the UID's parent. */
function parentOf(uid: string): string {
  return uid.slice(0, uid.lastIndexOf('.'))
}

export function createUidReservations(deps: { handler: CommandHandler; clock: Clock }): UidReservations {
  const { handler, clock } = deps
  return {
    isHeld: (startedAt) => clock.now() - startedAt < holdMs / 2,
    async reserve(tenant, all, assetUid) {
      const owner = assetStreamId(assetUid)
      const refused = new Set<string>()
      for (const [parent, uids] of Map.groupBy(all, parentOf)) {
        const asked = { owner, at: isoTime(clock.now()) }
        const { state } = await handler.handle(uidReservationAggregate, {
          tenant,
          id: assetStreamId(parent),
          command: { type: 'ReserveUids', uids, ...asked },
          context: { actor: 'system' },
        })
        for (const uid of uids) if (isRefused(state, uid, asked)) refused.add(uid)
      }
      return refused
    },
  }
}
