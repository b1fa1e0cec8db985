import type { BaselineInput, DataDriftItemInput, DriftMeasure, DriftMetric } from '@assay/contracts'
import type { JsonObject } from '@assay/event-store'
import { itemFrame } from '../../definition/item-frame.ts'
import { jsonObject } from '../../definition/json.ts'
import { mergeList } from '../../definition/merge-list.ts'
import { onOneTable } from '../../definition/one-table.ts'
import { refusal } from '../../definition/refusal.ts'
import type { CommonItem } from '../../policy/definition.ts'
import { alarmsOf } from '../../policy/expected-alarms.ts'
import { detailsFrame, itemsOf, ruleOf } from '../../policy/record-frames.ts'
import { storedThreshold } from '../../policy/stored-threshold.ts'
import { type CompletionContext, type Family, readsNothing } from '../family.ts'
import { checkBaseline, checkColumns } from './check.ts'

type DataDriftItem = CommonItem & {
  name: string
  columnName: string | null
  metricType: DriftMetric
  /** In percent. */
  driftThreshold: number
  /** `null` means the change of the metric. */
  measure: DriftMeasure | null
  weightage: number
  value: JsonObject | null
}

export type DataDrift = {
  interval: string
  baseline:
    | { type: 'PREVIOUS' }
    | { type: 'WINDOW'; window: number; windowType: 'RUNS' | 'DAYS' | 'HOURS' | 'MINUTES' }
    | { type: 'REFERENCE'; referenceAssetId: number; referenceAssetUid: string }
    | { type: 'EXECUTION'; executionId: number }
  items: DataDriftItem[]
}

export const dataDrift: Family<'DATA_DRIFT', DataDrift> = {
  defaults: () => ({ interval: '1d', baseline: { type: 'PREVIOUS' }, items: [] }),
  checkedFields: { interval: false, baseline: true, items: true },
  async complete(sent, context) {
    const { rule } = sent
    if (rule?.baseline?.type !== 'REFERENCE') return sent
    return { ...sent, rule: { ...rule, baseline: await completeReference(rule.baseline, context) } }
  },
  merge(before, { rule, items }) {
    const after = mergeList('items', before.items, items, draftItem)
    if (after.length === 0) throw refusal('items', 'is needed: a data drift policy watches at least one column')
    return {
      interval: rule?.interval ?? before.interval,
      baseline: rule?.baseline === undefined ? before.baseline : baselineOf(rule.baseline),
      items: after,
    }
  },
  ...onOneTable(async (definition, table, context) => {
    checkColumns(definition, table)
    await checkBaseline(definition, table, context)
  }),
  reads: readsNothing,
  answer(policy, definition, tenant) {
    const { target, interval, baseline, items } = definition
    return {
      rule: { ...ruleOf(policy, definition, tenant), interval, baseline, ...alarmsOf(items, []) },
      details: {
        ...detailsFrame(policy, tenant),
        backingAssetId: target.assetId,
        interval,
        items: itemsOf(policy, items).map((item) => ({ ...item, isArchived: false })),
      },
    }
  },
}

type Reference = Extract<BaselineInput, { type: 'REFERENCE' }>
const keys = { id: 'referenceAssetId', name: 'referenceAssetUid', what: 'table' } as const

/** Without an asset, the reference asset in the configuration of the table. */
async function completeReference({ type, ...sent }: Reference, context: CompletionContext): Promise<Reference> {
  const isNamed = (sent.referenceAssetId ?? sent.referenceAssetUid) !== undefined
  const named = isNamed ? sent : { ...sent, referenceAssetId: await configuredReference(context) }
  const { referenceAssetId, referenceAssetUid } = {
    ...named,
    ...(await context.complete(named, 'rule.baseline', keys)),
  }
  if (referenceAssetId !== undefined && referenceAssetUid === undefined)
    throw refusal(`rule.baseline.${keys.id}`, `there is no table, view or file with the id ${referenceAssetId}`)
  return { type, referenceAssetId, referenceAssetUid }
}

async function configuredReference({ tenant, assetId, prepare }: CompletionContext): Promise<number | undefined> {
  const found = await prepare({ tenant, assetId, locator: null, metrics: [], referenced: true })
  return found === 'unreachable' ? undefined : found.referenceAssetId
}

/** The request was completed, so it has both the id and the UID of an asset. */
function baselineOf(sent: BaselineInput): DataDrift['baseline'] {
  if (sent.type !== 'REFERENCE') return sent
  const { type, referenceAssetId, referenceAssetUid } = sent
  if (referenceAssetId === undefined || referenceAssetUid === undefined)
    throw refusal(
      'rule.baseline.referenceAssetId',
      'is needed, or referenceAssetUid, because the configuration of the table names no reference asset',
    )
  return { type, referenceAssetId, referenceAssetUid }
}

/** In percent. Applies until there are enough runs to learn from. */
const defaultThreshold = 10
const learned = storedThreshold({
  type: 'ANOMALY',
  config: { successSensitivityLevel: 'MEDIUM', warningSensitivityLevel: undefined },
})

function draftItem(input: DataDriftItemInput, index: number, before: DataDriftItem | undefined): DataDriftItem {
  const { columnName, metricType, driftThreshold, measure } = input
  if (columnName === undefined) throw refusal(`items[${index}].columnName`, 'is needed')
  const measured = measure ?? metricType
  if (measured === undefined) throw refusal(`items[${index}].metricType`, 'is needed, or a measure')
  const { thresholdConfig } = input
  if (thresholdConfig?.type === 'ANOMALY' && (thresholdConfig.config.direction ?? 'CHANGES_BY') !== 'CHANGES_BY')
    throw refusal(`items[${index}].thresholdConfig.config.direction`, 'must be CHANGES_BY: drift is a distance')
  const frame = itemFrame(input, index, before)
  return {
    ...frame,
    thresholdConfig: frame.thresholdConfig ?? (driftThreshold === undefined ? learned : null),
    name: input.name ?? `${measured} ${columnName}`.slice(0, 255),
    columnName,
    metricType: metricType ?? 'COMPLETENESS',
    driftThreshold: driftThreshold ?? defaultThreshold,
    measure: measure ?? null,
    weightage: input.weightage ?? 1,
    value: input.value === undefined || Object.keys(input.value).length === 0 ? null : jsonObject.parse(input.value),
  }
}
