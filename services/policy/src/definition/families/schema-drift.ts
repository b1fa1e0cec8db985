import type { PolicyChange, SchemaDriftItemInput } from '@assay/contracts'
import type { SchemaDriftDefinition, SchemaDriftItem } from '../../policy/definition.ts'
import { mergeList } from '../merge-list.ts'
import { refusal } from '../refusal.ts'
import { itemFrame } from './item-frame.ts'

type Change = Extract<PolicyChange, { family: 'schema-drift' }>

/** Merges the fields that only schema drift has; it needs no items. Throws `invalid` naming the field. */
export function mergeSchemaDrift(before: SchemaDriftDefinition, { rule, items }: Change): SchemaDriftDefinition {
  const { severity } = before
  const sent = rule?.severity
  const draft = (input: SchemaDriftItemInput, index: number, old: SchemaDriftItem | undefined) =>
    draftItem(input, index, old, before.target.assetId)
  return {
    ...before,
    severity: {
      added: sent?.added ?? severity.added,
      removed: sent?.removed ?? severity.removed,
      renamed: sent?.renamed ?? severity.renamed,
      typeWidened: sent?.typeWidened ?? sent?.typeChanged ?? severity.typeWidened,
      typeChanged: sent?.typeChanged ?? severity.typeChanged,
      nullability: sent?.nullability ?? severity.nullability,
      order: sent?.order ?? severity.order,
    },
    items: items === undefined ? before.items : mergeList('items', before.items, items, draft),
  }
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
