import { type ArrivalItemInput, freshnessMeasurements, type PolicyChange, type TableMessage } from '@assay/contracts'
import { kindOfType, parseDuration } from '@assay/reliability'
import type { ArrivalDefinition, ArrivalItem } from '../../policy/definition.ts'
import { mergeList } from '../merge-list.ts'
import { refusal } from '../refusal.ts'
import { columnOf } from './columns.ts'
import { itemFrame } from './item-frame.ts'

type Change = Extract<PolicyChange, { family: 'cadence' }>

/** Merges the fields that only cadence and freshness have: without items, a run infers them. Throws `invalid`. */
export function mergeArrival(before: ArrivalDefinition, { rule, items }: Change): ArrivalDefinition {
  const draft = (input: ArrivalItemInput, index: number, old: ArrivalItem | undefined) => {
    assertOfType(before.type, input, index)
    return draftItem(input, index, old)
  }
  return {
    ...before,
    anomalyStrengthThreshold: rule?.anomalyStrengthThreshold ?? rule?.sensitivity ?? before.anomalyStrengthThreshold,
    items: items === undefined ? before.items : mergeList('items', before.items, items, draft),
  }
}

const isFreshness = ({ measurementType }: { measurementType: string }) =>
  freshnessMeasurements.some((one) => one === measurementType)

/** Freshness is the age of the newest data, cadence its arrival: each has its own measurements (decision 68). */
function assertOfType(type: ArrivalDefinition['type'], input: ArrivalItemInput, index: number): void {
  const own = isFreshness(input) ? 'DATA_FRESHNESS' : 'DATA_CADENCE'
  if (own === type) return
  throw refusal(`items[${index}].measurementType`, `${input.measurementType} belongs to policies of type ${own}`)
}

function draftItem(input: ArrivalItemInput, index: number, before: ArrivalItem | undefined): ArrivalItem {
  return {
    ...itemFrame(input, index, before),
    displayName: input.displayName ?? input.name ?? input.measurementType,
    measurementType: input.measurementType,
    columnName: input.columnName ?? null,
    value: limitOf(input, index),
  }
}

/** The maximum age; without one, the usual age of the asset. */
function limitOf(input: ArrivalItemInput, index: number): ArrivalItem['value'] {
  const maxAge = input.value?.maxAge ?? undefined
  if (maxAge === undefined) return null
  const at = `items[${index}].value.maxAge`
  if (!isFreshness(input)) throw refusal(at, 'belongs to freshness; use thresholdConfig')
  if (typeof maxAge !== 'string' || parseDuration(maxAge) === undefined)
    throw refusal(at, 'must be an ISO 8601 duration, for example PT36H or P7D')
  return { maxAge }
}

/** Throws `invalid` for columns that the table lacks, and for a freshness column without times. */
export function checkArrival({ items }: ArrivalDefinition, table: TableMessage): void {
  items.forEach((item, index) => {
    if (item.columnName === null) return
    const at = `items[${index}].columnName`
    const { dataType } = columnOf(table, item.columnName, at)
    const kind = kindOfType(dataType)
    if (isFreshness(item) && kind !== 'date' && kind !== 'time')
      throw refusal(at, `'${item.columnName}' is ${dataType}, not a date or a time`)
  })
}
