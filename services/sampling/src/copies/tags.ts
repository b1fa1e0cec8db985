import { defineTagCollections, tagPut } from '@assay/catalog-copies'
import type { TagMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import { samplingTemplates } from './templates.ts'

/** Tags as the catalog told of them last, and which assets carry which. */
export const samplingTagCopies = defineTagCollections('sampling')

/** The copy that a message makes. `position`: of the state that it tells of. Pure. */
export function tagCopyPut(tenant: string, message: TagMessage, position: string): DocumentPut {
  return tagPut(samplingTagCopies, tenant, message, position)
}

/** Whether the copy of a tag, an association or a UDF template stands exactly there in the catalog's log. */
export async function tagsStandAt(documents: Documents, tenant: string, position: string): Promise<boolean> {
  const query = { where: [{ field: 'position', is: position }], size: 1 }
  const found = await Promise.all([
    documents.find(samplingTagCopies.tags, tenant, query),
    documents.find(samplingTagCopies.associations, tenant, query),
    documents.find(samplingTemplates, tenant, query),
  ])
  return found.some(({ documents: copies }) => copies.length > 0)
}
