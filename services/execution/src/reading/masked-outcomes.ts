import { type ItemRecord, type Mask, maskText } from '@assay/contracts'
import type { Caller } from '../calls.ts'
import type { Execution } from '../execution/execution.ts'
import type { ItemOutcome } from '../execution/run.ts'
import type { MaskFor } from '../rows/mask.ts'

const hiddenError = 'The item could not be evaluated; what the engine said may hold protected values.'

/** A run as the caller may see it: numbers and errors that can hold protected values are hidden like rows. */
export type ShownRun = (call: Caller, state: Execution) => Promise<Execution>

export function createShownRun(maskFor: MaskFor): ShownRun {
  return async (call, state) => {
    const isTelling = state.status === 'succeeded' && state.result.outcomes.some(tells)
    const mask = isTelling ? await maskFor(call, state) : null
    return mask === null ? state : maskedOutcomes(state, mask)
  }
}

function tells({ value, error }: ItemOutcome): boolean {
  return value !== null || error !== null
}

/** The run with the mask over what its items say. Verdicts, percentages and counts of rows stay. Pure. */
export function maskedOutcomes(state: Execution, mask: Mask): Execution {
  if (state.status !== 'succeeded') return state
  const items = new Map(state.run.policy.details.items.map((item) => [item.id, item]))
  const outcomes = state.result.outcomes.map((outcome) => {
    const item = items.get(outcome.itemId)
    if (item !== undefined && !mayTouch(item, mask)) return outcome
    const value = outcome.value === null || isCount(item) ? outcome.value : maskText
    return { ...outcome, value, error: outcome.error === null ? null : hiddenError }
  })
  return { ...state, result: { ...state.result, outcomes } }
}

/** People's SQL can read any column, and so can a UDF: only an item on one other column cannot touch what is protected. */
function mayTouch(item: ItemRecord, mask: Mask): boolean {
  if (mask === 'all') return true
  if (item.ruleExpression !== null || item.filter !== null) return true
  if (['SQL_METRIC', 'UDF_PREDICATE'].includes(item.measurementType)) return true
  return item.columnName !== null && (mask.nested || mask.columns.has(item.columnName))
}

/** Other measurements carry an aggregateType as well, which they do not read. */
function isCount(item: ItemRecord | undefined): boolean {
  return (
    item !== undefined &&
    ['AGGREGATES', 'BUSINESS_MEASURE'].includes(item.measurementType) &&
    item.aggregateType === 'COUNT'
  )
}
