import type { ReadYourWrites } from '@assay/event-store'
import type { Prepare } from '@assay/hosting/ports'
import type { Caller, Timers } from '@assay/service-kit'
import type { Tables } from '../definition/targets.ts'

/** The streams of the catalog that the execution service copies besides tables, as positions name them. */
const copied = /^(assetconfig|assettag|tag|udftemplate|udfvariables)-.*@/
const longestWaitMs = 3_000

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
  timers: Pick<Timers, 'sleep'>
}): SeenTables {
  const { readYourWrites, tables, prepare, timers } = deps
  return {
    async waitForCopies({ identity: { tenant }, seen }) {
      const reached = (seen.get('catalog') ?? []).filter((text) => copied.test(text))
      if (reached.length === 0) return
      const over = new AbortController()
      const asked = prepare({ tenant, locator: null, metrics: [], reached })
        // The wait only makes the check more current. If the execution service is needed, the check says so.
        .catch(() => undefined)
        .finally(() => over.abort())
      await Promise.race([asked, timers.sleep(longestWaitMs, over.signal)])
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
