import { isDeepStrictEqual } from 'node:util'
import { type ItemInput, itemKindOf } from '@assay/contracts'
import { hasOwnThreshold } from '@assay/reliability'
import { jsonObject } from '../../definition/json.ts'
import { mergeList, unnumbered } from '../../definition/merge-list.ts'
import { assertPercentages } from '../../definition/percentage-threshold.ts'
import { refusal } from '../../definition/refusal.ts'
import { storedThreshold, thresholdOfScore } from '../../policy/stored-threshold.ts'
import type { ItemDefinition } from './item.ts'

/** The items of a data quality policy after a change. Throws `invalid` naming the field. */
export function draftItems(
  previous: readonly ItemDefinition[],
  inputs: readonly ItemInput[] | undefined,
): ItemDefinition[] {
  return mergeList('items', previous, inputs, draftItem)
}

function draftItem(input: ItemInput, index: number, before: ItemDefinition | undefined): ItemDefinition {
  const { measurementType } = input
  const columnName = input.columnName ?? null
  const value = jsonObject.parse({ ...input.value, ...(input.pattern === undefined ? {} : patternOf(input)) })
  const limits = thresholdsOf(input, before)
  const draft: ItemDefinition = {
    id: before?.id ?? unnumbered,
    name: input.name ?? (columnName === null ? measurementType : `${measurementType} ${columnName}`),
    measurementType,
    columnName,
    executionOrder: input.executionOrder ?? index,
    value: Object.keys(value).length === 0 ? null : value,
    ruleExpression: textOrNull(input.ruleExpression),
    ...limits,
    weightage: input.weightage ?? 1,
    aggregateType: input.aggregateType ?? 'RULE',
    isWarning: input.isWarning ?? false,
    isDimension: input.isDimension ?? false,
    filter: textOrNull(input.filter),
    businessExplanation: textOrNull(input.businessExplanation),
    labels: input.labels ?? [],
  }
  const kind = itemKindOf(measurementType)
  const judgesNumber = kind.measures === 'NUMBER' && draft.value?.operator == null
  if (judgesNumber && input.thresholdConfig === undefined)
    throw refusal(`items[${index}].value.operator`, 'is needed, or a thresholdConfig that judges the number')
  if (!judgesNumber && !kind.thresholdFirst)
    assertPercentages(`items[${index}].thresholdConfig`, input.thresholdConfig, before?.thresholdConfig)
  return draft
}

/** Older clients send `pattern` as a field of the item; `value.pattern` takes precedence. */
function patternOf(input: ItemInput): { pattern?: unknown } {
  return input.value?.pattern == null ? { pattern: input.pattern } : {}
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text
}

/**
 * A thresholdConfig that only repeats the one derived from the previous resultThreshold comes from a client that sends
 * back what it has read, so it does not override a new resultThreshold.
 */
function thresholdsOf(
  input: ItemInput,
  before: ItemDefinition | undefined,
): Pick<ItemDefinition, 'resultThreshold' | 'thresholdConfig'> {
  const resultThreshold = input.resultThreshold ?? 100
  const sent = input.thresholdConfig === undefined ? undefined : storedThreshold(input.thresholdConfig)
  const isEcho = before !== undefined && !hasOwnThreshold(before) && isDeepStrictEqual(sent, before.thresholdConfig)
  return {
    resultThreshold,
    thresholdConfig: sent === undefined || isEcho ? thresholdOfScore(resultThreshold) : sent,
  }
}
