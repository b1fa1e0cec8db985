import { defineTagCollections, tagPut } from '@assay/catalog-copies'
import type { TagMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import { reachedPositions } from '@assay/event-store'
import { samplingTemplates } from './templates.ts'

/** Tags and their associations, from the catalog's latest messages. */
export const samplingTagCopies = defineTagCollections('sampling')

/** The document that a message puts. `position`: the position of that state in the catalog's log. Pure. */
export function tagCopyPut(tenant: string, message: TagMessage, position: string): DocumentPut {
  return tagPut(samplingTagCopies, tenant, message, position)
}

/**
 * The positions in the catalog's log that the local read model of tags, associations and UDF templates has reached
 * exactly.
 */
export async function tagsThatReached(
  documents: Documents,
  tenant: string,
  positions: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await Promise.all([
    reachedPositions(documents, samplingTagCopies.tags, tenant, positions),
    reachedPositions(documents, samplingTagCopies.associations, tenant, positions),
    reachedPositions(documents, samplingTemplates, tenant, positions),
  ])
  return new Set(found.flatMap((there) => [...there]))
}
