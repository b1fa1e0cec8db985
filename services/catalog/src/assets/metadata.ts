import { createHash } from 'node:crypto'
import type { AssetMetadata } from '@assay/contracts'
import type { AssetDocument, AssetTableDocument } from '../asset/collections.ts'

type Item = AssetMetadata['items'][number]

/** A crawled item. Unknown values have no item. */
function item(key: string, value: string | number | boolean | null, dataType: string): Item[] {
  return value === null ? [] : [{ key, value: String(value), dataType, source: 'CRAWL' }]
}

function hashOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}

const jsonOf = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

/** Metadata of a table, view or file; `undefined` for an asset without rows. */
export function tableMetadata(table: AssetTableDocument): AssetMetadata | undefined {
  const { facts } = table
  if (facts === null) return undefined
  const live = table.columns.filter((column) => !column.isDeleted && column.path.length === 1)
  const { comment, columnComments = {}, primaryKey, uniqueKeys, foreignKeys } = facts.declared ?? {}
  const columns = live.map(({ path: [name = ''], dataType, nullable }) => {
    const described = Object.hasOwn(columnComments, name) ? columnComments[name] : undefined
    return { name, dataType, nullable, ...(described === undefined ? {} : { comment: described }) }
  })
  const { rowCount, sizeBytes, lastChangedAt, fileCount } = facts
  const items = [
    ...item('columnCount', columns.length, 'LONG'),
    ...item('rowCount', rowCount, 'LONG'),
    ...item('sizeBytes', sizeBytes, 'LONG'),
    ...item('fileCount', fileCount, 'LONG'),
    ...item('lastChangedAt', lastChangedAt, 'TIMESTAMP'),
    ...item('comment', comment ?? null, 'STRING'),
    ...item('primaryKey', jsonOf(primaryKey), 'JSON'),
    ...item('uniqueKeys', jsonOf(uniqueKeys), 'JSON'),
    ...item('foreignKeys', jsonOf(foreignKeys), 'JSON'),
  ]
  const { id: assetId, createdAt, updatedAt } = table
  const metaDataHash = hashOf([columns, items])
  return { assetId, metaDataHash, createdAt, updatedAt, columns, items, rowCount, sizeBytes, lastChangedAt }
}

/** Metadata of a column: its own entry in its table's schema. */
export function columnMetadata(column: AssetDocument): AssetMetadata {
  const dataType = column.dataType ?? ''
  const nullable = column.nullable ?? true
  const columns = [{ name: column.name, dataType, nullable }]
  const items = [...item('dataType', dataType, 'STRING'), ...item('nullable', nullable, 'BOOLEAN')]
  const { id: assetId, createdAt, updatedAt } = column
  const metaDataHash = hashOf([columns, items])
  const unknown = { rowCount: null, sizeBytes: null, lastChangedAt: null }
  return { assetId, metaDataHash, createdAt, updatedAt, columns, items, ...unknown }
}

/** Crawled items, then custom ones, which cannot replace crawled ones. */
export function withCustomItems(
  asset: Pick<AssetDocument, 'id' | 'createdAt' | 'updatedAt'>,
  found: AssetMetadata | undefined,
  custom: readonly { key: string; value: string; dataType: string }[],
): AssetMetadata {
  const { id: assetId, createdAt, updatedAt } = asset
  const nothing = { columns: [], items: [], rowCount: null, sizeBytes: null, lastChangedAt: null }
  const known = found ?? { assetId, metaDataHash: hashOf([]), createdAt, updatedAt, ...nothing }
  if (custom.length === 0) return known
  const items = [...known.items, ...custom.map((one) => ({ ...one, source: 'CUSTOM' }))]
  return { ...known, metaDataHash: hashOf([known.metaDataHash, custom]), items }
}
