import type { Followed } from '@assay/event-store'
import type { Caller } from '@assay/service-kit'
import type { Tables } from '../definition/targets.ts'

/**
 * Waits, within limits, for what a caller has seen at the catalog of the table that its request is about. Not every write
 * there tells of a table, so a table that is not known then counts as not there.
 */
export interface SeenTables {
  reach(call: Caller, table: { id: number } | { uid: string } | undefined): Promise<void>
}

export function createSeenTables(deps: { followed: Followed; tables: Tables }): SeenTables {
  const { followed, tables } = deps
  return {
    async reach(call, table) {
      if (table === undefined) return
      const { tenant } = call.identity
      const look = () => tables.positionOf(tenant, table)
      await followed.reach({ tenant, seen: call.seen.get('catalog'), look, signal: call.signal })
    },
  }
}
