import { defineTagCollections, tagPut } from '@assay/catalog-copies'
import type { TagMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import { positionsThere } from '@assay/event-store'
import { samplingTemplates } from './templates.ts'

/** Tags as the catalog told of them last, and which assets carry which. */
export const samplingTagCopies = defineTagCollections('sampling')

/** The copy that a message makes. `position`: of the state that it tells of. Pure. */
export function tagCopyPut(tenant: string, message: TagMessage, position: string): DocumentPut {
  return tagPut(samplingTagCopies, tenant, message, position)
}

/** At which of the positions in the catalog's log the copy of a tag, an association or a UDF template stands exactly. */
export async function tagsThatReached(
  documents: Documents,
  tenant: string,
  positions: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await Promise.all([
    positionsThere(documents, samplingTagCopies.tags, tenant, positions),
    positionsThere(documents, samplingTagCopies.associations, tenant, positions),
    positionsThere(documents, samplingTemplates, tenant, positions),
  ])
  return new Set(found.flatMap((there) => [...there]))
}
