import { type ItemRecord, type Mask, maskText } from '@assay/contracts'
import { findColumnPath } from '@assay/data-engine'
import type { Caller } from '@assay/service-kit'
import type { Execution } from '../execution/execution.ts'
import type { ItemOutcome } from '../execution/run.ts'
import type { Copies } from '../references/copies.ts'
import { itemsOnSecretTables } from '../references/secret-items.ts'
import type { MaskFor } from '../rows/mask.ts'

const hiddenError = 'The item could not be evaluated; what the engine said may hold protected values.'

/** A run as the caller may see it: numbers and errors that can hold protected values are hidden like rows. */
export type ShownRun = (call: Caller, state: Execution) => Promise<Execution>

export function createShownRun({ maskFor, documents }: { maskFor: MaskFor; documents: Copies }): ShownRun {
  return async (call, state) => {
    const isTelling = state.status === 'succeeded' && state.result.outcomes.some(tells)
    if (!isTelling || call.identity.permissions.has('ASSET_PROTECTED_VIEW')) return state
    const mask = await maskFor(call, state)
    const secret = await itemsOnSecretTables(documents, call.identity.tenant, state)
    return mask === null && secret.size === 0 ? state : maskedOutcomes(state, mask, secret)
  }
}

function tells({ value, error }: ItemOutcome): boolean {
  return value !== null || error !== null
}

/**
 * The run with the mask of its table over what its items say, and over all that `secretItems` say. Verdicts, percentages and
 * counts of rows stay. Pure.
 */
export function maskedOutcomes(
  state: Execution,
  mask: Mask | null,
  secretItems: ReadonlySet<number> = new Set(),
): Execution {
  if (state.status !== 'succeeded') return state
  const items = new Map(state.run.policy.details.items.map((item) => [item.id, item]))
  const { columns } = state.run.table
  const outcomes = state.result.outcomes.map((outcome) => {
    const item = items.get(outcome.itemId)
    const isOpen = item !== undefined && !secretItems.has(item.id) && (mask === null || !mayTouch(item, mask, columns))
    if (isOpen) return outcome
    const value = outcome.value === null || isCount(item) ? outcome.value : maskText
    return { ...outcome, value, error: outcome.error === null ? null : hiddenError }
  })
  return { ...state, result: { ...state.result, outcomes } }
}

/** People's SQL can read any column, and so can a UDF: only an item on one other column cannot touch what is protected. */
function mayTouch(item: ItemRecord, mask: Mask, columns: readonly { name: string; dataType: string }[]): boolean {
  if (mask === 'all') return true
  if (item.ruleExpression !== null || item.filter !== null) return true
  if (['SQL_METRIC', 'UDF_PREDICATE'].includes(item.measurementType)) return true
  if (item.columnName === null) return false
  // A field of a structure is as hidden as its column.
  const { column } = findColumnPath(columns, item.columnName) ?? { column: item.columnName }
  return mask.nested || mask.columns.has(column)
}

/** Other measurements carry an aggregateType as well, which they do not read. */
function isCount(item: ItemRecord | undefined): boolean {
  return (
    item !== undefined &&
    ['AGGREGATES', 'BUSINESS_MEASURE'].includes(item.measurementType) &&
    item.aggregateType === 'COUNT'
  )
}
