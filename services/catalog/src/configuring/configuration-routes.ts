import { annotationOperations as operations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import type { AssetDocument } from '../asset/collections.ts'
import { assetConfigurationAggregate } from '../asset-configuration/aggregate.ts'
import type { AssetConfigurationState, CustomItem } from '../asset-configuration/asset-configuration.ts'
import type { AssetMetadataReader } from '../assets/asset-metadata.ts'
import { namedAsset } from '../assets/named-asset.ts'
import { selectableTable } from '../inferring/selectable-table.ts'
import type { Protection } from '../tagging/protection.ts'
import { requestedSettings } from './configuration.ts'
import { configurationAnswer } from './configuration-answer.ts'

function itemOf(key: string, value: string | number | boolean): CustomItem {
  const dataType =
    typeof value === 'string'
      ? 'STRING'
      : typeof value === 'boolean'
        ? 'BOOLEAN'
        : Number.isInteger(value)
          ? 'LONG'
          : 'DOUBLE'
  return { key, value: String(value), dataType }
}

/** Settings and custom metadata of assets. Crawls change neither. */
export function configurationRoutes(deps: {
  handler: CommandHandler
  documents: Documents
  clock: Clock
  metadata: AssetMetadataReader
  protection: Protection
}): Route[] {
  const { handler, documents, clock, metadata, protection } = deps

  async function answer(tenant: string, asset: AssetDocument, state: AssetConfigurationState) {
    const set = state.assetId === 0 ? undefined : state
    return { body: await configurationAnswer(documents, tenant, asset, set) }
  }

  return [
    route(operations.getAssetConfiguration, async (call) => {
      const { tenant } = call.identity
      const asset = await namedAsset(documents, tenant, call.params.id)
      const { state } = await handler.load(assetConfigurationAggregate, tenant, asset.id)
      return answer(tenant, asset, state)
    }),
    route(operations.updateAssetConfiguration, async (call) => {
      const { tenant, permissions } = call.identity
      const context = contextOf(call)
      const asset = await namedAsset(documents, tenant, call.params.id)
      const { id, uid } = asset
      // Other CSV options could give the same values other column names, which nobody has protected.
      const mayShow = call.body.csv === undefined || permissions.has('ASSET_PROTECTED_VIEW')
      if (!mayShow && (await protection.columnsOf(tenant, id)).length > 0)
        throw new AssayError(
          'forbidden',
          `csv: ${uid} has protected columns; changing how it is read requires ASSET_PROTECTED_VIEW.`,
        )
      const { state: before } = await handler.load(assetConfigurationAggregate, tenant, id)
      const table = await selectableTable(documents, tenant, asset)
      const settings = requestedSettings(call.body, before.settings, asset, table)
      const of = { assetId: id, uid, at: isoTime(clock.now()), by: context.actor }
      const command = { type: 'ConfigureAsset', ...of, settings } as const
      const { state } = await handler.handle(assetConfigurationAggregate, { tenant, id, command, context })
      return answer(tenant, asset, state)
    }),
    route(operations.addCustomMetadata, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      const asset = await namedAsset(documents, tenant, call.params.id)
      const { id, uid } = asset
      const items = Object.entries(call.body).flatMap(([key, value]) => (value === null ? [] : [itemOf(key, value)]))
      const of = { assetId: id, uid, at: isoTime(clock.now()), by: context.actor }
      const command = { type: 'SetCustomMetadata', ...of, items } as const
      await handler.handle(assetConfigurationAggregate, { tenant, id, command, context })
      return { body: { data: await metadata.all(tenant, asset) } }
    }),
  ]
}
