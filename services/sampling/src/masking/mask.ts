import { protectedAssets } from '@assay/catalog-copies'
import { isMasked, type Mask, maskOfTable, maskText, type SampleData } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { SampleTarget } from '../asset-samples/asset-samples.ts'
import { samplingTables } from '../copies/tables.ts'
import { samplingTagCopies } from '../copies/tags.ts'

/**
 * What is protected now, whatever it was when the rows were read. A table that is not known any more is hidden.
 */
export async function maskOf(
  documents: Documents,
  tenant: string,
  { tableId, sourceIds, transforms = [] }: SampleTarget,
): Promise<Mask> {
  const tableOf = async (id: number) => (await documents.get(samplingTables, tenant, id))?.document.table
  const assets = await protectedAssets(
    documents,
    tenant,
    { ...samplingTagCopies, tableOf },
    { assetId: tableId, sourceIds },
  )
  if (assets.size === 0) return { columns: new Set(), nested: false }
  const copy = await documents.get(samplingTables, tenant, tableId)
  const mask = copy === undefined ? 'all' : maskOfTable(copy.document.table, assets)
  if (mask === 'all') return mask
  // What was made of the rows may hold what is protected in another form.
  const made = transforms.map(({ name }) => name)
  return { ...mask, columns: new Set([...mask.columns, ...made]) }
}

/** The rows with the mask over them; of a field inside of a column, with the mask that is the column's. Pure. */
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
