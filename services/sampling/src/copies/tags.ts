import { defineTagCollections, tagPut } from '@assay/catalog-copies'
import type { TagMessage } from '@assay/contracts'
import type { DocumentPut } from '@assay/documents'

/** Tags and their associations, from the catalog's latest messages. */
export const samplingTagCopies = defineTagCollections('sampling')

/** The document that a message puts. `position`: the position of that state in the catalog's log. Pure. */
export function tagCopyPut(tenant: string, message: TagMessage, position: string): DocumentPut {
  return tagPut(samplingTagCopies, tenant, message, position)
}
