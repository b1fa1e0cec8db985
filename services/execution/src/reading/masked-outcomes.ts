import { type ItemRecord, type Mask, maskText, withoutValues } from '@assay/contracts'
import { findColumnPath } from '@assay/data-engine'
import type { Execution } from '../execution/execution.ts'
import type { Copies } from '../references/copies.ts'
import { itemsOnSecretTables } from '../references/secret-items.ts'
import type { MaskFor, Viewer } from '../rows/mask.ts'
import { markerOf } from '../running/run-window.ts'

const hiddenError = 'The item could not be evaluated; what the engine said may hold protected values.'

/** A run as the caller may see it: numbers, errors and marks that can hold protected values are hidden like rows. */
export type ShownRun = (call: Viewer, state: Execution) => Promise<Execution>

export function createShownRun({ maskFor, documents }: { maskFor: MaskFor; documents: Copies }): ShownRun {
  return async (call, state) => {
    if (!tells(state) || call.identity.permissions.has('ASSET_PROTECTED_VIEW')) return state
    const mask = await maskFor(call, state)
    if (state.status === 'failed') return mask === null ? state : { ...state, error: withoutValues(state.error) }
    const secret = await itemsOnSecretTables(documents, call.identity.tenant, state)
    const shown = mask === null && secret.size === 0 ? state : maskedOutcomes(state, mask, secret)
    return mask === null ? shown : maskedMark(shown, mask)
  }
}

function tells(state: Execution): boolean {
  if (state.status === 'failed') return true
  if (state.status !== 'succeeded') return false
  const { outcomes, mark } = state.result
  return mark != null || outcomes.some(({ value, error }) => value !== null || error !== null)
}

/** The run without the highest value that was read of a column which is hidden; times of files are nobody's values. Pure. */
function maskedMark(state: Execution, mask: Mask): Execution {
  if (state.status !== 'succeeded' || state.result.mark == null) return state
  const { run, result } = state
  const { mark } = state.result
  const marker: { type: string; columnName?: unknown } | null = markerOf(run)
  if (marker === null || marker.type === 'FileEventMarkerConfig') return state
  const { columnName } = marker
  if (typeof columnName === 'string' && !isHiddenColumn(columnName, mask, run.table.columns)) return state
  const outcomes = result.outcomes.map((outcome) =>
    outcome.note ? { ...outcome, note: outcome.note.replaceAll(mark.value, maskText) } : outcome,
  )
  return { ...state, result: { ...result, outcomes, mark: { ...mark, value: maskText } } }
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
  return item.columnName !== null && isHiddenColumn(item.columnName, mask, columns)
}

/** A field of a structure is as hidden as its column. */
function isHiddenColumn(name: string, mask: Mask, columns: readonly { name: string; dataType: string }[]): boolean {
  if (mask === 'all' || mask.nested) return true
  return mask.columns.has(findColumnPath(columns, name)?.column ?? name)
}

/** Other measurements carry an aggregateType as well, which they do not read. */
function isCount(item: ItemRecord | undefined): boolean {
  return (
    item !== undefined &&
    ['AGGREGATES', 'BUSINESS_MEASURE'].includes(item.measurementType) &&
    item.aggregateType === 'COUNT'
  )
}
