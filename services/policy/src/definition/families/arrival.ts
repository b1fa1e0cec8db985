import { type ArrivalItemInput, freshnessMeasurements, type PolicyChange, type TableMessage } from '@assay/contracts'
import { datasetLocator, isOfFiles, isOfTopic } from '@assay/data-engine'
import { kindOfType, neededBy, parseDuration } from '@assay/reliability'
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

/** Throws `invalid` for items that the table cannot have: it lacks the column, times in it, or files. */
export function checkArrival(definition: ArrivalDefinition, table: TableMessage): void {
  definition.items.forEach((item, index) => {
    const at = `items[${index}]`
    const { columnName } = item
    if (columnName !== null)
      checkColumn(item, columnOf(table, columnName, `${at}.columnName`).dataType, `${at}.columnName`)
    else if (item.measurementType === 'RAW_DATA_FRESHNESS') checkLoading(definition, table, `${at}.measurementType`)
    checkMeasure(item, table, `${at}.measurementType`)
  })
}

function checkColumn(item: ArrivalItem, dataType: string, at: string): void {
  if (!isFreshness(item)) return
  if (item.measurementType === 'RAW_DATA_FRESHNESS')
    throw refusal(at, 'RAW_DATA_FRESHNESS is about the time of loading: use DATA_FRESHNESS for a column')
  const kind = kindOfType(dataType)
  if (kind !== 'date' && kind !== 'time') throw refusal(at, `'${item.columnName}' is ${dataType}, not a date or a time`)
}

/** The source must say when the table changed, and a filter cannot select a part of it. */
function checkLoading({ filter }: ArrivalDefinition, { locator }: TableMessage, at: string): void {
  const dataset = datasetLocator.safeParse(locator)
  if (dataset.success && !isOfFiles(dataset.data) && !isOfTopic(dataset.data))
    throw refusal(
      at,
      'RAW_DATA_FRESHNESS needs files or a topic: the source of this table does not say when it changed',
    )
  if (filter !== null)
    throw refusal('rule.filter', 'does not apply to the time of loading: use DATA_FRESHNESS with a column')
}

/** Measures of files need files, those of messages a topic; the size of a topic cannot be measured. */
function checkMeasure(item: ArrivalItem, { name, locator }: TableMessage, at: string): void {
  if (isFreshness(item)) return
  const needed = neededBy(item.measurementType)
  if (needed === undefined)
    throw refusal(at, `${item.measurementType} cannot be measured: Kafka does not report the size of a topic`)
  const dataset = datasetLocator.safeParse(locator)
  if (needed === 'FILES' && dataset.success && !isOfFiles(dataset.data))
    throw refusal(at, `${item.measurementType} belongs to files, and '${name}' has none`)
  if (needed === 'MESSAGES' && dataset.success && !isOfTopic(dataset.data))
    throw refusal(at, `${item.measurementType} belongs to topics, and '${name}' is not a topic`)
}
