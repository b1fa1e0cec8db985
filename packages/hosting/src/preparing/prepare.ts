import type { ItemRecord, PolicyType } from '@assay/contracts'
import type { Metric, Prepared, SqlText } from '@assay/data-engine'

/** The result of a check. `itemProblems`: for items that can never work, the problem and the item's id. */
export type PreparedDefinition = Prepared & {
  itemProblems?: { id: number; path: string; message: string }[] | undefined
  /** The answer to `guarded`. */
  protectedParts?: ProtectedParts | undefined
  /** The answer to `learns`. */
  baseline?: string | undefined
  /** The answer to `comparesWith`. */
  hasProfile?: boolean | undefined
  /** The answer to `referenced`. Absent if no reference asset is configured. */
  referenceAssetId?: number | undefined
}

/** The parts of a definition that depend on the values of protected columns. `items`: ids. */
export interface ProtectedParts {
  filter: boolean
  marker: boolean
  items: number[]
}

/**
 * Checks the filter, metrics and items of a definition on the real source. `locator`: the locator in the table's
 * message. `unreachable`: the source cannot be read now, so the definition is accepted unchecked. Throws `unavailable`
 * if the check could not run.
 */
export type Prepare = (definition: {
  tenant: string
  /** Id of the table. Its variables are used. */
  assetId?: number | undefined
  locator: unknown
  filter?: SqlText | undefined
  metrics: readonly Metric[]
  /** Items with references to more than columns of the table: to lookups, templates or tags. */
  items?: readonly ItemRecord[] | undefined
  /** Requests only the `protectedParts` of this definition; the source is not read. */
  guarded?: { filter: string | null; marker: object | null; items: readonly ItemRecord[] } | undefined
  /** Requests only the `baseline` that a policy of this type learns from the table when it is created. */
  learns?: PolicyType | undefined
  /** Requests only `hasProfile`: whether this execution kept a profile of the table. */
  comparesWith?: number | undefined
  /** Requests only `referenceAssetId`: the asset that the configuration of the table compares it with. */
  referenced?: true | undefined
  /** What the author has seen of the catalog (`tag-12@3`). The check waits until its local read models include it. */
  seen?: readonly string[] | undefined
  /** The access key of the author. */
  caller?: string | undefined
}) => Promise<PreparedDefinition | 'unreachable'>
