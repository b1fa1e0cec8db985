import { freshnessMeasurements } from '@assay/contracts'
import { z } from 'zod'
import { type Duration, parseDuration } from '../times.ts'
import { type ArrivalPolicy, inOrder, type OwnItem, selectedOf } from './definition.ts'

/** An item of a run. `own` is null for the item of a policy without items. */
export interface FreshnessItem {
  id: number
  name: string
  measurementType: string
  /** The column with the times of the data. `null` means the time of loading, as the source reports it. */
  columnName: string | null
  /** The limit of the age. `null` means the usual age for the table. */
  maxAge: Duration | null
  own: OwnItem | null
}

const limit = z.object({ maxAge: z.string() })

/** The measurement of the age of the data. The other one is about the time of loading. */
const [ofData] = freshnessMeasurements

/**
 * The items of a run: the selected ones, else all. A policy without items has one with the policy's id. An item about
 * the age of the data reads its own column or, if it has none, the configured one. Pure.
 */
export function freshnessItems(policy: ArrivalPolicy, selection: readonly number[] | null): FreshnessItem[] {
  const { freshnessColumn, policyId: id } = policy
  const all = inOrder(policy.items).map((own): FreshnessItem => {
    const { id, displayName: name, measurementType } = own
    const { data } = limit.safeParse(own.value)
    const columnName = own.columnName ?? (measurementType === ofData ? freshnessColumn : null)
    return { id, name, measurementType, columnName, maxAge: (data && parseDuration(data.maxAge)) ?? null, own }
  })
  const implicit = {
    id,
    name: 'Freshness',
    measurementType: ofData,
    columnName: freshnessColumn,
    maxAge: null,
    own: null,
  }
  return selectedOf(all.length === 0 ? [implicit] : all, selection)
}
