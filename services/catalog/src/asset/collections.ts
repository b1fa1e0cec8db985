import { datasetLocator, declared } from '@assay/data-engine'
import { defineCollection } from '@assay/documents'
import { z } from 'zod'

/** One per asset, including columns: the source of Asset and ChildAsset records. */
export const assetDocument = z.object({
  id: z.int(),
  uid: z.string(),
  name: z.string(),
  parentId: z.int().nullable(),
  assetTypeId: z.int(),
  sourceTypeId: z.int(),
  assemblyId: z.int(),
  /** The table of a column; `null` for other assets. */
  tableId: z.int().nullable(),
  dataType: z.string().nullable(),
  nullable: z.boolean().nullable(),
  isDeleted: z.boolean(),
  /** Its place: `hierarchyPathOf`. */
  hierarchyPath: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type AssetDocument = z.infer<typeof assetDocument>

export const assets = defineCollection<AssetDocument>({
  name: 'assets',
  version: 7,
  idType: 'integer',
  schema: assetDocument,
  fields: {
    uid: { type: 'text', of: (asset) => asset.uid },
    name: { type: 'text', of: (asset) => asset.name },
    parentId: { type: 'integer', of: (asset) => asset.parentId },
    assemblyId: { type: 'integer', of: (asset) => asset.assemblyId },
    // Set only for live assets: given two conditions, a store might use the less selective index.
    liveParentId: { type: 'integer', of: (asset) => (asset.isDeleted ? null : asset.parentId) },
    liveAssemblyId: { type: 'integer', of: (asset) => (asset.isDeleted ? null : asset.assemblyId) },
    sourceTypeId: { type: 'integer', of: (asset) => asset.sourceTypeId },
    assetTypeId: { type: 'integer', of: (asset) => asset.assetTypeId },
    isDeleted: { type: 'boolean', of: (asset) => asset.isDeleted },
    hierarchyPath: { type: 'text', of: (asset) => asset.hierarchyPath },
    createdAt: { type: 'text', of: (asset) => asset.createdAt },
    updatedAt: { type: 'text', of: (asset) => asset.updatedAt },
  },
  search: {
    name: 'name',
    path: 'uid',
    parent: 'parentId',
    included: ['isDeleted', 'assetTypeId', 'sourceTypeId', 'assemblyId'],
  },
})

const facts = z.object({
  rowCount: z.int().nullable(),
  sizeBytes: z.int().nullable(),
  lastChangedAt: z.string().nullable(),
  fileCount: z.int().nullable(),
  locator: datasetLocator,
  sourceIds: z.array(z.int()).exactOptional(),
  declared: declared.exactOptional(),
})

const column = z.object({
  id: z.int(),
  uid: z.string(),
  path: z.array(z.string()),
  parentId: z.int(),
  dataType: z.string(),
  nullable: z.boolean(),
  isDeleted: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
})

/** One per stream (a table with its columns, a folder, a database, a schema): its whole state. */
export const assetTableDocument = z.object({
  status: z.enum(['live', 'vanished']),
  id: z.int(),
  uid: z.string(),
  name: z.string(),
  naturalPath: z.array(z.string()),
  placement: z.object({
    parentId: z.int().nullable(),
    assetTypeId: z.int(),
    assemblyId: z.int(),
    assemblyName: z.string(),
    sourceTypeId: z.int(),
  }),
  columns: z.array(column),
  facts: facts.nullable(),
  schemaChangedAt: z.string().exactOptional(),
  vanishReason: z.enum(['not-found-by-crawl', 'assembly-deleted', 'view-deleted']).nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type AssetTableDocument = z.infer<typeof assetTableDocument>

export const assetTables = defineCollection<AssetTableDocument>({
  name: 'asset_tables',
  version: 3,
  idType: 'integer',
  schema: assetTableDocument,
  fields: {
    /** Set only for live assets, so that a crawl pages only through assets that may vanish. */
    liveAssemblyId: { type: 'integer', of: (table) => (table.status === 'live' ? table.placement.assemblyId : null) },
  },
})
