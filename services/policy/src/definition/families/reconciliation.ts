import type { MappingInput, PolicyChange, ReconciliationItemInput } from '@assay/contracts'
import type { Mapping, ReconciliationDefinition, ReconciliationItem } from '../../policy/definition.ts'
import { jsonObject } from '../json.ts'
import { mergeList, unnumbered } from '../merge-list.ts'
import { cleared } from '../merge-rule.ts'
import { assertPercentages } from '../percentage-threshold.ts'
import { itemFrame } from './item-frame.ts'

type Change = Extract<PolicyChange, { family: 'reconciliation' }>

/** Merges the fields that only reconciliation and equality have. Throws `invalid` naming the field. */
export function mergeReconciliation(
  before: ReconciliationDefinition,
  { rule, items, mappings }: Change,
): ReconciliationDefinition {
  return {
    ...before,
    filter: cleared(rule?.leftFilter, before.filter),
    rightFilter: cleared(rule?.rightFilter, before.rightFilter),
    joinType: rule?.joinType ?? before.joinType,
    timeSecondsOffset: rule?.timeSecondsOffset ?? before.timeSecondsOffset,
    delayInMinutes: rule?.delayInMinutes ?? before.delayInMinutes,
    items: items === undefined ? before.items : mergeList('items', before.items, items, draftItem),
    mappings: mappings === undefined ? before.mappings : mergeList('mappings', before.mappings, mappings, draftMapping),
  }
}

function draftItem(
  input: ReconciliationItemInput,
  index: number,
  before: ReconciliationItem | undefined,
): ReconciliationItem {
  assertPercentages(`items[${index}].thresholdConfig`, input.thresholdConfig, before?.thresholdConfig)
  const { measurementType, columnName = null, value } = input
  return {
    ...itemFrame(input, index, before),
    measurementType,
    columnName,
    value: value === undefined ? null : jsonObject.parse(defined(value)),
  }
}

/** Without absent members. */
const defined = (value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

function draftMapping(input: MappingInput, _index: number, before: Mapping | undefined): Mapping {
  const { leftColumnName, rightColumnName, tolerance } = input
  return {
    id: before?.id ?? unnumbered,
    leftColumnName,
    rightColumnName,
    name: input.name ?? `${leftColumnName} ${rightColumnName}`.slice(0, 255),
    operation: input.operation ?? 'EQ',
    mappingType: input.mappingType ?? 'MANUAL',
    useForJoining: input.useForJoining ?? false,
    ignoreNullValues: input.ignoreNullValues ?? false,
    isJoinColumnUsedForMeasure: input.isJoinColumnUsedForMeasure ?? false,
    isWarning: input.isWarning ?? false,
    weightage: input.weightage ?? 1,
    tolerance:
      tolerance === undefined
        ? null
        : {
            absolute: tolerance.absolute ?? null,
            relative: tolerance.relative ?? null,
            timeUnit: tolerance.timeUnit ?? null,
            trim: tolerance.trim ?? false,
            ignoreCase: tolerance.ignoreCase ?? false,
          },
    businessExplanation: input.businessExplanation ?? null,
    labels: input.labels ?? [],
  }
}
