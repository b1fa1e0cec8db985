import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { type AssetDocument, assets } from '../asset/collections.ts'

/** The asset with an id, even if deleted. Throws `not-found` with `message` if there is none. */
export async function namedAsset(
  documents: Documents,
  tenant: string,
  id: number,
  message = 'There is no such asset.',
): Promise<AssetDocument> {
  const found = await documents.get(assets, tenant, id)
  if (found === undefined) throw new AssayError('not-found', message)
  return found.document
}
