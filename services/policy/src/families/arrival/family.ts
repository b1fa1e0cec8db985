import type { AnomalyStrength, ArrivalItemInput, ArrivalMeasurement } from '@assay/contracts'
import { parseDuration } from '@assay/reliability'
import { itemFrame } from '../../definition/item-frame.ts'
import { mergeList } from '../../definition/merge-list.ts'
import { onOneTable } from '../../definition/one-table.ts'
import { refusal } from '../../definition/refusal.ts'
import type { CommonItem } from '../../policy/definition.ts'
import { alarmsOf, expectedAlarms } from '../../policy/expected-alarms.ts'
import { detailsFrame, itemsOf, ruleOf } from '../../policy/record-frames.ts'
import { type Family, readsNothing } from '../family.ts'
import { checkArrival, isFreshness } from './check.ts'

export type ArrivalItem = CommonItem & {
  displayName: string
  measurementType: ArrivalMeasurement
  columnName: string | null
  /** ISO 8601 duration; `null` means the usual age. */
  value: { maxAge: string } | null
}

type ArrivalType = 'DATA_CADENCE' | 'DATA_FRESHNESS'
type Arrival = { anomalyStrengthThreshold: AnomalyStrength; items: ArrivalItem[] }

/** Without items, a run infers them. */
export const arrival: Family<ArrivalType, Arrival> = {
  defaults: () => ({ anomalyStrengthThreshold: 'MEDIUM', items: [] }),
  checkedFields: { anomalyStrengthThreshold: false, items: true },
  merge(before, { rule, items }) {
    const draft = (input: ArrivalItemInput, index: number, old: ArrivalItem | undefined) => {
      assertOfType(before.type, input, index)
      return draftItem(input, index, old)
    }
    return {
      anomalyStrengthThreshold: rule?.anomalyStrengthThreshold ?? rule?.sensitivity ?? before.anomalyStrengthThreshold,
      items: mergeList('items', before.items, items, draft),
    }
  },
  ...onOneTable(checkArrival),
  reads: readsNothing,
  answer(policy, definition, tenant) {
    const { type, target, anomalyStrengthThreshold, items } = definition
    return {
      rule: { ...ruleOf(policy, definition, tenant), anomalyStrengthThreshold, ...alarmsOfArrival(type, definition) },
      details: { ...detailsFrame(policy, tenant), backingAssetId: target.assetId, items: itemsOf(policy, items) },
    }
  },
}

/** Maximum number of figures that a cadence policy without items compares with usual values: rows, bytes and files. */
const inferredFigures = 3

/** In cadence policies, items without a threshold are compared with usual values. */
function alarmsOfArrival(type: ArrivalType, { anomalyStrengthThreshold, items }: Arrival) {
  if (type === 'DATA_FRESHNESS') return alarmsOf(items, [])
  if (items.length > 0) return alarmsOf(items, [anomalyStrengthThreshold])
  return expectedAlarms(Array.from({ length: inferredFigures }, () => anomalyStrengthThreshold))
}

/** Freshness is the age of the newest data, cadence its arrival: each has its own measurements (decision 68). */
function assertOfType(type: ArrivalType, input: ArrivalItemInput, index: number): void {
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
