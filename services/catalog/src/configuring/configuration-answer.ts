import type { AnswerOf, annotationOperations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type AssetDocument, assetTables } from '../asset/collections.ts'
import type { AssetConfigurationState } from '../asset-configuration/asset-configuration.ts'
import { referenceStatusOf } from '../reference-assets/reference-records.ts'
import { configurationRecord } from './configuration.ts'
import { manualTriggersOf } from './manual-triggers.ts'

/** The answer with the configuration of an asset. `set`: absent if nobody has set anything. */
export async function configurationAnswer(
  documents: Documents,
  tenant: string,
  asset: AssetDocument,
  set: AssetConfigurationState | undefined,
): Promise<AnswerOf<typeof annotationOperations.getAssetConfiguration>> {
  const record = configurationRecord(asset, set, await referenceStatusOf(documents, tenant, asset.id))
  const table = asset.tableId === null ? await documents.get(assetTables, tenant, asset.id) : undefined
  const { freshnessColumnInfo, markerConfiguration } = record
  const isMarked = (freshnessColumnInfo?.name ?? markerConfiguration?.type ?? null) !== null
  return {
    assetConfiguration: record,
    assetJDBCPartitioningEnabled: null,
    manualProfilingTriggers: manualTriggersOf(asset, { locator: table?.document.facts?.locator, isMarked }),
  }
}
