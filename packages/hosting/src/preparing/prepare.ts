import type { ItemRecord, PolicyType } from '@assay/contracts'
import type { Metric, Prepared, SqlText } from '@assay/data-engine'

/** The result of a check; `itemProblems`: problems of items that can never work, by id. */
export type PreparedDefinition = Prepared & {
  itemProblems?: { id: number; path: string; message: string }[] | undefined
  /** The answer to `guarded`. */
  protectedParts?: ProtectedParts | undefined
  /** The answer to `learns`. */
  baseline?: string | undefined
  /** The answer to `comparesWith`. */
  hasProfile?: boolean | undefined
  /** The answer to `referenced`. Absent: none is configured. */
  referenceAssetId?: number | undefined
}

/** Parts of a definition that depend on the values of protected columns; items by id. */
export interface ProtectedParts {
  filter: boolean
  marker: boolean
  items: number[]
}

/**
 * Checks filter, metrics and items of a definition on the real source. `locator`: locator in the table's message.
 * `unreachable`: the source cannot be read now, so the definition is accepted unchecked. Throws `unavailable` if there
 * was no check.
 */
export type Prepare = (definition: {
  tenant: string
  /** Id of the table, whose variables are used. */
  assetId?: number | undefined
  locator: unknown
  filter?: SqlText
  metrics: readonly Metric[]
  /** Items that reference more than columns of the table: lookups, templates, tags. */
  items?: readonly ItemRecord[] | undefined
  /** Requests only the `protectedParts` of this definition; the source is not read. */
  guarded?: { filter: string | null; marker: object | null; items: readonly ItemRecord[] } | undefined
  /** Requests only the `baseline` that a policy of this type learns from the table when it is created. */
  learns?: PolicyType | undefined
  /** Requests only `hasProfile`: whether this execution kept a profile of the table. */
  comparesWith?: number | undefined
  /** Requests only `referenceAssetId`: the asset that the configuration of the table compares it with. */
  referenced?: true | undefined
}) => Promise<PreparedDefinition | 'unreachable'>
