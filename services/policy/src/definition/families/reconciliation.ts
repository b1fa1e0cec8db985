import type { MappingInput, PolicyChange, ReconciliationItemInput, ReconciliationMeasurement } from '@assay/contracts'
import type { Mapping, ReconciliationDefinition, ReconciliationItem } from '../../policy/definition.ts'
import { mergeList, unnumbered } from '../merge-list.ts'
import { cleared } from '../merge-rule.ts'
import { assertPercentages } from '../percentage-threshold.ts'
import { refusal } from '../refusal.ts'
import type { Sides } from '../targets.ts'
import { columnOf } from './columns.ts'
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
  return { ...itemFrame(input, index, before), measurementType: input.measurementType }
}

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

/** The mappings that a measurement requires: only joining columns can match rows. */
function needs(measurement: ReconciliationMeasurement): 'nothing' | 'columns' | 'a join' {
  switch (measurement) {
    case 'COUNT':
    case 'ROW_COUNT_EQUALITY':
      return 'nothing'
    case 'PROFILE_EQUALITY':
    case 'HASHED_EQUALITY':
    case 'TIMELINESS':
      return 'columns'
    case 'EQUALITY':
    case 'CUSTOM':
      return 'a join'
    default:
      return measurement satisfies never
  }
}

/** Throws `invalid` for columns that a side lacks, and for items without the mappings that they require. */
export function checkReconciliation({ items, mappings, joinType }: ReconciliationDefinition, sides: Sides): void {
  mappings.forEach(({ leftColumnName, rightColumnName }, index) => {
    if (sides.main !== undefined) columnOf(sides.main, leftColumnName, `mappings[${index}].leftColumnName`, 'left')
    if (sides.right !== undefined) columnOf(sides.right, rightColumnName, `mappings[${index}].rightColumnName`, 'right')
  })
  const joins = joinType === 'CROSS' || mappings.some(({ useForJoining }) => useForJoining)
  items.forEach(({ measurementType }, index) => {
    const at = `items[${index}].measurementType`
    const needed = needs(measurementType)
    if (needed === 'a join' && !joins)
      throw refusal(at, `${measurementType} needs at least one mapping with useForJoining true`)
    if (needed === 'columns' && mappings.length === 0)
      throw refusal(at, `${measurementType} needs at least one mapping`)
  })
}
