import { protectedAssets } from '@assay/catalog-copies'
import { maskText, type SampleData } from '@assay/contracts'
import { isMasked, type Mask, maskOfTable, mayReadHidden } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { SampleTarget } from '../asset-samples/asset-samples.ts'
import { copyOf, samplingTables } from '../copies/tables.ts'
import { samplingTagCopies } from '../copies/tags.ts'

/** The mask that today's tags require, even if the tags differed when the rows were read. Masks an unknown table entirely. */
export async function maskOf(
  documents: Documents,
  tenant: string,
  { tableId, sourceIds, transforms = [] }: SampleTarget,
): Promise<Mask> {
  const assets = await protectedAssets(
    documents,
    tenant,
    { ...samplingTagCopies, tableOf: copyOf(documents, tenant) },
    { assetId: tableId, sourceIds },
  )
  if (assets.size === 0) return { columns: new Set(), nested: false }
  const copy = await documents.get(samplingTables, tenant, tableId)
  const mask = copy === undefined ? 'all' : maskOfTable(copy.document.table, assets)
  if (mask === 'all') return mask
  // Columns derived from the rows may contain protected values in another form.
  const columns = copy?.document.table.columns ?? []
  const readable = readableOf(columns, mask)
  const derived = transforms.filter(({ touched }) => mayReadHidden(touched, readable)).map(({ name }) => name)
  const known = new Set([...columns, ...transforms].map(({ name }) => name))
  return { ...mask, columns: new Set([...mask.columns, ...derived]), known }
}

interface Column {
  name: string
  dataType: string
}

function readableOf(columns: readonly Column[], mask: Mask) {
  const hidden = new Set(
    columns.filter(({ name, dataType: type }) => isMasked({ name, type }, mask)).map(({ name }) => name),
  )
  return { columns: columns.map(({ name }) => name), isHidden: (name: string) => hidden.has(name) }
}

/**
 * The request fields that read protected values. The rows that match a condition, or the failure of an expression,
 * would reveal values that are masked in the rows.
 */
export async function hiddenReads(documents: Documents, tenant: string, target: SampleTarget): Promise<string[]> {
  const { tableId, filter, filterTouched, transforms = [] } = target
  if (filter === undefined && transforms.length === 0) return []
  const mask = await maskOf(documents, tenant, { ...target, transforms: [] })
  const columns = (await documents.get(samplingTables, tenant, tableId))?.document.table.columns ?? []
  if (mask !== 'all' && mask.columns.size === 0 && !mask.nested) return []
  const readable = readableOf(columns, mask)
  const ofTransforms = transforms.flatMap(({ touched }, index) =>
    mayReadHidden(touched, readable) ? [`transformUDFs[${index}]`] : [],
  )
  return filter !== undefined && mayReadHidden(filterTouched, readable) ? ['filter', ...ofTransforms] : ofTransforms
}

/** The rows with the mask applied; a nested field has its column's mask. Pure. */
export function masked(
  { schema, data }: SampleData,
  mask: Mask,
  { column, leaf }: Pick<SampleTarget, 'column' | 'leaf'>,
): SampleData {
  const [first] = schema.fields
  const isHidden = (field: typeof first & {}) =>
    leaf !== undefined && column !== null && field === first
      ? isMasked({ name: column, type: 'STRUCT' }, mask)
      : isMasked(field, mask)
  const hidden = schema.fields.filter(isHidden)
  if (hidden.length === 0) return { schema, data }
  const masks = Object.fromEntries(hidden.map(({ name }) => [name, maskText]))
  return { schema, data: data.map((row) => ({ ...row, ...masks })) }
}
