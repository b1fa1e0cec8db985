import type { ReadYourWrites } from '@assay/event-store'
import type { Caller } from '@assay/service-kit'
import type { Tables } from '../definition/targets.ts'

/**
 * Waits, within limits, for what a caller has seen at the catalog of the table that its request is about. Not every write
 * there tells of a table, so a table that is not known then counts as not there.
 */
export interface SeenTables {
  waitForPosition(call: Caller, table: { id: number } | { uid: string } | undefined): Promise<void>
}

export function createSeenTables(deps: { readYourWrites: ReadYourWrites; tables: Tables }): SeenTables {
  const { readYourWrites, tables } = deps
  return {
    async waitForPosition(call, table) {
      if (table === undefined) return
      const { tenant } = call.identity
      const look = () => tables.positionOf(tenant, table)
      await readYourWrites.waitForPosition({ tenant, seen: call.seen.get('catalog'), look, signal: call.signal })
    },
  }
}
