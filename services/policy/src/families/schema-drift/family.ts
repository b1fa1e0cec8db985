import type { SchemaDriftItemInput } from '@assay/contracts'
import { itemFrame } from '../../definition/item-frame.ts'
import { mergeList } from '../../definition/merge-list.ts'
import { onOneTable } from '../../definition/one-table.ts'
import { refusal } from '../../definition/refusal.ts'
import type { CommonItem } from '../../policy/definition.ts'
import { detailsFrame, itemsOf, ruleOf } from '../../policy/record-frames.ts'
import { type Family, readsNothing } from '../family.ts'

type SchemaDriftItem = CommonItem & {
  assetId: number
  schemaDriftRuleConfig: {
    assetAddition: boolean
    assetDeletion: boolean
    assetMetaData: boolean
    metaDataConfigs: string[]
    assetRelationChange: boolean | null
    dataType: boolean | null
  } | null
}

type SchemaDrift = {
  severity: Record<
    'added' | 'removed' | 'renamed' | 'typeWidened' | 'typeChanged' | 'nullability' | 'order',
    'ERROR' | 'WARNING' | 'IGNORE'
  >
  items: SchemaDriftItem[]
}

/** A change that breaks readers is an error, one that may surprise them a warning; the order of columns is ignored. */
const defaultSeverity: SchemaDrift['severity'] = {
  added: 'WARNING',
  removed: 'ERROR',
  renamed: 'ERROR',
  typeWidened: 'WARNING',
  typeChanged: 'ERROR',
  nullability: 'WARNING',
  order: 'IGNORE',
}

/** It needs no items. */
export const schemaDrift: Family<'SCHEMA_DRIFT', SchemaDrift> = {
  defaults: () => ({ severity: defaultSeverity, items: [] }),
  checkedFields: { severity: false, items: true },
  merge({ severity, items: previous, target }, { rule, items }) {
    const sent = rule?.severity
    const draft = (input: SchemaDriftItemInput, index: number, old: SchemaDriftItem | undefined) =>
      draftItem(input, index, old, target.assetId)
    return {
      severity: {
        added: sent?.added ?? severity.added,
        removed: sent?.removed ?? severity.removed,
        renamed: sent?.renamed ?? severity.renamed,
        typeWidened: sent?.typeWidened ?? sent?.typeChanged ?? severity.typeWidened,
        typeChanged: sent?.typeChanged ?? severity.typeChanged,
        nullability: sent?.nullability ?? severity.nullability,
        order: sent?.order ?? severity.order,
      },
      items: mergeList('items', previous, items, draft),
    }
  },
  ...onOneTable(() => undefined),
  reads: readsNothing,
  answer(policy, definition, tenant) {
    const { target, severity, items } = definition
    return {
      rule: { ...ruleOf(policy, definition, tenant), assemblyId: null, severity },
      details: { ...detailsFrame(policy, tenant), backingAssetId: target.assetId, items: itemsOf(policy, items) },
    }
  },
}

function draftItem(
  input: SchemaDriftItemInput,
  index: number,
  before: SchemaDriftItem | undefined,
  targetId: number,
): SchemaDriftItem {
  const config = input.schemaDriftRuleConfig
  if (input.assetId !== undefined && input.assetId !== targetId)
    throw refusal(`items[${index}].assetId`, `must be the policy's asset, ${targetId}`)
  return {
    ...itemFrame(input, index, before),
    assetId: targetId,
    schemaDriftRuleConfig:
      config === undefined
        ? null
        : {
            assetAddition: config.assetAddition,
            assetDeletion: config.assetDeletion,
            assetMetaData: config.assetMetaData,
            metaDataConfigs: config.metaDataConfigs ?? [],
            assetRelationChange: config.assetRelationChange ?? null,
            dataType: config.dataType ?? null,
          },
  }
}
