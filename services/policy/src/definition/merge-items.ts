import { isDeepStrictEqual } from 'node:util'
import type { ItemInput, MeasurementType } from '@assay/contracts'
import type { JsonObject } from '@assay/event-store'
import { hasOwnThreshold } from '@assay/reliability'
import { z } from 'zod'
import type { ItemDefinition } from '../policy/definition.ts'
import { storedThreshold, thresholdOfScore } from '../policy/stored-threshold.ts'
import { refusal } from './refusal.ts'

/** An item of a request with its defaults; without an id where it is new. */
export type ItemDraft = Omit<ItemDefinition, 'id'> & { id: number | undefined }

/** A body is JSON by its origin; this tells the compiler. */
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json())

const measuresANumber: ReadonlySet<MeasurementType> = new Set(['AGGREGATES', 'BUSINESS_MEASURE', 'SQL_METRIC'])

/**
 * The list that replaces `previous`. An item with an id keeps it (an id that the policy has not: `invalid`); one without
 * an id that says exactly what an item of before said is that item; all others are new.
 */
export function draftItems(previous: readonly ItemDefinition[], inputs: readonly ItemInput[]): ItemDraft[] {
  const byId = new Map(previous.map((item) => [item.id, item]))
  const claimed = new Set<number>()
  inputs.forEach(({ id }, index) => {
    if (id === undefined) return
    if (!byId.has(id)) throw refusal(`items[${index}].id`, `the policy has no item with the id ${id}`)
    if (claimed.has(id)) throw refusal(`items[${index}].id`, `the id ${id} is given twice`)
    claimed.add(id)
  })
  return inputs.map((input, index) => {
    const draft = draftItem(input, index, input.id === undefined ? undefined : byId.get(input.id))
    if (draft.id !== undefined) return draft
    const same = previous.find((item) => !claimed.has(item.id) && isDeepStrictEqual({ ...draft, id: item.id }, item))
    if (same === undefined) return draft
    claimed.add(same.id)
    return { ...draft, id: same.id }
  })
}

function draftItem(input: ItemInput, index: number, before: ItemDefinition | undefined): ItemDraft {
  const { measurementType } = input
  const columnName = input.columnName ?? null
  const value = jsonObject.parse({ ...input.value, ...(input.pattern === undefined ? {} : patternOf(input)) })
  const limits = thresholdsOf(input, before)
  const draft: ItemDraft = {
    id: input.id,
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
  if (measuresANumber.has(measurementType) && draft.value?.operator == null && input.thresholdConfig === undefined)
    throw refusal(`items[${index}].value.operator`, 'is needed, or a thresholdConfig that judges the number')
  return draft
}

/** Beside `value`, from older clients; `value.pattern` comes first. */
function patternOf(input: ItemInput): { pattern?: unknown } {
  return input.value?.pattern == null ? { pattern: input.pattern } : {}
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text
}

/**
 * A thresholdConfig that only repeats what followed from the resultThreshold of before comes from a client that sends
 * back what it has read: it does not hold against a new resultThreshold.
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
