import type { ReadYourWrites } from '@assay/event-store'
import type { Caller } from '@assay/service-kit'
import type { Tables } from '../definition/targets.ts'

/**
 * Waits until the local read model of a request's table includes what its caller has seen. Not every catalog write
 * concerns a table, so a table that is still unknown then counts as missing.
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
      const readPosition = () => tables.positionOf(tenant, table)
      await readYourWrites.waitForPosition({
        tenant,
        seen: call.seen.get('catalog'),
        readPosition,
        signal: call.signal,
      })
    },
  }
}
