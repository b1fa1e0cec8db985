import { isLogPosition, type ReadYourWrites } from '@assay/event-store'
import type { Prepare } from '@assay/hosting/ports'
import type { Caller } from '@assay/service-kit'
import type { Tables } from '../definition/targets.ts'

/**
 * Waits until the local read models include what the caller of a request has seen. Not every catalog write concerns a
 * table, so a table that is still unknown then counts as missing.
 */
export interface SeenTables {
  /** For the copies of tags, settings and templates, which the execution service keeps. */
  waitForCopies(call: Caller): Promise<void>
  waitForPosition(call: Caller, table: { id: number } | { uid: string } | undefined): Promise<void>
}

export function createSeenTables(deps: {
  readYourWrites: ReadYourWrites
  tables: Tables
  prepare: Prepare
}): SeenTables {
  const { readYourWrites, tables, prepare } = deps
  return {
    async waitForCopies({ identity: { tenant }, seen }) {
      const reached = (seen.get('catalog') ?? []).filter((text) => !isLogPosition(text))
      if (reached.length > 0) await prepare({ tenant, locator: null, metrics: [], reached })
    },
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
