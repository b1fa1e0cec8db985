import type { ItemRecord } from '@assay/contracts'
import type { Metric, Prepared, SqlText } from '@assay/data-engine'

/** What a definition would meet; `itemProblems`: its items that can never work, by their ids. */
export type PreparedDefinition = Prepared & {
  itemProblems?: { id: number; path: string; message: string }[] | undefined
}

/**
 * Checks filter, metrics and items of a definition on the real source. `locator` is the one that the table's message
 * carried. `unreachable`: the source cannot be looked at now, which is no reason to refuse a definition.
 */
export type Prepare = (definition: {
  tenant: string
  /** For the variables of the table. */
  assetId?: number | undefined
  locator: unknown
  filter?: SqlText
  metrics: readonly Metric[]
  /** Items that name more than columns of the table: lookups, templates, tags. */
  items?: readonly ItemRecord[] | undefined
}) => Promise<PreparedDefinition | 'unreachable'>
