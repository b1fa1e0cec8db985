import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import { jsonObject } from '../json.ts'
import {
  type AssetConfigurationCommand,
  type AssetConfigurationEvent,
  type AssetConfigurationState,
  decideAssetConfiguration,
  evolveAssetConfiguration,
  initialAssetConfiguration,
} from './asset-configuration.ts'

const assetConfigurationDocument = z.object({
  assetId: z.int(),
  settings: jsonObject,
  custom: z.array(z.object({ key: z.string(), value: z.string(), dataType: z.string() })),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type AssetConfigurationDocument = z.infer<typeof assetConfigurationDocument>

/** One per asset with settings. Crawls never change it. */
export const assetConfigurations = defineCollection<AssetConfigurationDocument>({
  name: 'asset_configurations',
  version: 3,
  idType: 'integer',
  schema: assetConfigurationDocument,
  fields: {
    /** Whether it has CSV options. */
    hasCsv: { type: 'boolean', of: ({ settings }) => (settings.csv === undefined ? null : true) },
    /** Whether it is a reference, or is measured against one. */
    hasReference: {
      type: 'boolean',
      of: ({ settings }) =>
        settings.isUserMarkedReference === true || typeof settings.referenceAssetId === 'number' ? true : null,
    },
  },
})

/** The settings of an asset: streams `<tenant>/assetconfig-<assetId>`. */
export const assetConfigurationAggregate: Aggregate<
  AssetConfigurationState,
  AssetConfigurationCommand,
  AssetConfigurationEvent
> = {
  category: 'assetconfig',
  decider: {
    initialState: initialAssetConfiguration,
    decide: decideAssetConfiguration,
    evolve: evolveAssetConfiguration,
  },
  schemaVersion: 1,
  documents: (state, { tenant }, source) =>
    state.assetId === 0 ? [] : [documentPut(assetConfigurations, tenant, state.assetId, state, source)],
}
