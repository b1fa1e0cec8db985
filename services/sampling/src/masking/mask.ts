import type { SampleData } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { SampleTarget } from '../asset-samples/asset-samples.ts'
import { samplingTables } from '../copies/tables.ts'
import { protectedAssets } from '../copies/tags.ts'

/** What stands in the place of every value of a protected column, also where there is none. */
export const maskText = '***'

/** Which columns of a sample are hidden from keys without ASSET_PROTECTED_VIEW. */
export type Mask = 'all' | { columns: ReadonlySet<string>; nested: boolean }

/**
 * What is protected now, whatever it was when the rows were read. Of leaves inside of a column only the catalog knows where
 * they lie: one that is protected hides all columns with an inner structure. A table that is not known any more is hidden.
 */
export async function maskOf(
  documents: Documents,
  tenant: string,
  { tableId, transforms = [] }: SampleTarget,
): Promise<Mask> {
  const assets = await protectedAssets(documents, tenant, tableId)
  if (assets.size === 0) return { columns: new Set(), nested: false }
  const copy = await documents.get(samplingTables, tenant, tableId)
  if (copy === undefined || assets.has(tableId)) return 'all'
  const { columns } = copy.document.table
  const own = columns.filter(({ id }) => assets.has(id))
  // What was made of the rows may hold what is protected in another form.
  const made = transforms.map(({ name }) => name)
  return { columns: new Set([...own.map(({ name }) => name), ...made]), nested: own.length < assets.size }
}

const nestedType = /\]$|^(STRUCT|MAP|LIST|ARRAY|JSONB?|UNION|VARIANT|ROW|OBJECT)\b/i

/** The rows with the mask over them. Pure. */
export function masked({ schema, data }: SampleData, mask: Mask): SampleData {
  const hidden = schema.fields.filter(({ name, type }) => {
    return mask === 'all' || mask.columns.has(name) || (mask.nested && nestedType.test(type))
  })
  if (hidden.length === 0) return { schema, data }
  const masks = Object.fromEntries(hidden.map(({ name }) => [name, maskText]))
  return { schema, data: data.map((row) => ({ ...row, ...masks })) }
}
