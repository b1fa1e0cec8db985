import type { MappingInput, ReconciliationItemInput, ReconciliationMeasurement } from '@assay/contracts'
import type { JsonObject } from '@assay/event-store'
import { itemFrame } from '../../definition/item-frame.ts'
import { jsonObject } from '../../definition/json.ts'
import { mergeList, unnumbered } from '../../definition/merge-list.ts'
import { cleared } from '../../definition/merge-rule.ts'
import { assertPercentages } from '../../definition/percentage-threshold.ts'
import type { CommonItem, DefinitionFrame, Label, Target } from '../../policy/definition.ts'
import { backingAsset, detailsFrame, itemsOf, policyFrame } from '../../policy/record-frames.ts'
import type { Family } from '../family.ts'
import { checkComparison } from './check.ts'
import { comparedParts } from './reads.ts'

export type ReconciliationItem = CommonItem & {
  measurementType: ReconciliationMeasurement
  columnName: string | null
  value: JsonObject | null
}

/** A pair of columns to compare. `null` in `tolerance` means none. */
export type Mapping = {
  id: number
  leftColumnName: string
  rightColumnName: string
  name: string
  operation: 'EQ' | 'NOT_EQ' | 'GTE' | 'GT' | 'LTE' | 'LT'
  mappingType: 'AUTO' | 'MANUAL'
  useForJoining: boolean
  ignoreNullValues: boolean
  isJoinColumnUsedForMeasure: boolean
  isWarning: boolean
  weightage: number
  tolerance: {
    absolute: number | null
    relative: number | null
    timeUnit: 'MILLISECONDS' | 'SECONDS' | 'MINUTES' | 'HOURS' | 'DAYS' | null
    trim: boolean
    ignoreCase: boolean
  } | null
  businessExplanation: string | null
  labels: Label[]
}

export type Reconciliation = {
  rightTarget: Target
  rightFilter: string | null
  joinType: 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS' | null
  timeSecondsOffset: number
  delayInMinutes: number | null
  items: ReconciliationItem[]
  mappings: Mapping[]
}

export const reconciliation: Family<'RECONCILIATION' | 'EQUALITY', Reconciliation> = {
  defaults: (rightTarget) => ({
    rightTarget,
    rightFilter: null,
    joinType: null,
    timeSecondsOffset: 0,
    delayInMinutes: null,
    items: [],
    mappings: [],
  }),
  checkedFields: {
    rightTarget: true,
    rightFilter: true,
    joinType: true,
    timeSecondsOffset: false,
    delayInMinutes: false,
    items: true,
    mappings: true,
  },
  sidesNamed({ rule }) {
    const side = (name: 'left' | 'right') => ({
      at: `rule.${name}BackingAsset`,
      asset: rule?.[`${name}BackingAsset`],
      detailsAt: `rule.details.${name}BackingAssetId`,
      detailsId: rule?.details?.[`${name}BackingAssetId`],
    })
    return { main: side('left'), right: side('right') }
  },
  merge: (before, { rule, items, mappings }) => ({
    filter: cleared(rule?.leftFilter, before.filter),
    rightTarget: before.rightTarget,
    rightFilter: cleared(rule?.rightFilter, before.rightFilter),
    joinType: rule?.joinType ?? before.joinType,
    timeSecondsOffset: rule?.timeSecondsOffset ?? before.timeSecondsOffset,
    delayInMinutes: rule?.delayInMinutes ?? before.delayInMinutes,
    items: mergeList('items', before.items, items, draftItem),
    mappings: mergeList('mappings', before.mappings, mappings, draftMapping),
  }),
  check: checkComparison,
  reads: comparedParts,
  answer(policy, definition, tenant) {
    const { policyId, version } = policy
    const { target, rightTarget, items, mappings } = definition
    return {
      rule: {
        ...policyFrame(policy, tenant),
        ...settingsOfSides(definition),
        type: definition.type,
        leftBackingAsset: backingAsset(policyId, target, 2 * policyId - 1),
        rightBackingAsset: backingAsset(policyId, rightTarget, 2 * policyId),
        analyticsPipelineId: null,
      },
      details: {
        ...detailsFrame(policy, tenant),
        ...settingsOfSides(definition),
        leftBackingAssetId: target.assetId,
        rightBackingAssetId: rightTarget.assetId,
        items: itemsOf(policy, items).map((item) => ({ ...item, version })),
        columnMappings: mappings.map((mapping) => ({
          ...mapping,
          reconciliationRuleId: policyId,
          ruleVersion: version,
          isArchived: false,
          deletedAt: null,
        })),
        engineType: null,
        leftEngineType: null,
        subType: 'ASSET',
      },
    }
  },
}

function settingsOfSides({
  filter,
  rightFilter,
  joinType,
  timeSecondsOffset,
  delayInMinutes,
}: Reconciliation & DefinitionFrame) {
  return {
    leftFilter: filter,
    rightFilter,
    leftSparkSQLFilterType: 'STATIC' as const,
    rightSparkSQLFilterType: 'STATIC' as const,
    leftSparkFilterSelectedColumns: [],
    rightSparkFilterSelectedColumns: [],
    leftSparkSQLDynamicFilterVariableMapping: null,
    rightSparkSQLDynamicFilterVariableMapping: null,
    leftCustomSqlConfig: null,
    rightCustomSqlConfig: null,
    rightEngineType: null,
    joinType,
    timeSecondsOffset,
    delayInMinutes,
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
