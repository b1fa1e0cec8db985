import { type TagMessage, tagMessage } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import { samplingTemplates } from './templates.ts'

const tagCopy = z.object({ tag: tagMessage.options[0], position: z.string() })
/** A tag as the catalog told of it last; `position` is that of the catalog's log. */
export type TagCopy = z.infer<typeof tagCopy>
export const samplingTags = defineCollection<TagCopy>({
  name: 'sampling_tags',
  version: 1,
  idType: 'integer',
  schema: tagCopy,
  fields: { position: { type: 'text', of: ({ position }) => position } },
})

const associationCopy = z.object({ association: tagMessage.options[1], position: z.string() })
/** Whether an asset carries a tag. */
export type AssociationCopy = z.infer<typeof associationCopy>
export const samplingAssociations = defineCollection<AssociationCopy>({
  name: 'sampling_tag_associations',
  version: 1,
  idType: 'integer',
  schema: associationCopy,
  fields: {
    tableId: { type: 'integer', of: ({ association }) => association.tableId },
    present: { type: 'boolean', of: ({ association }) => association.present },
    position: { type: 'text', of: ({ position }) => position },
  },
})

/** The copy that a message makes. `position`: of the state that it tells of. Pure. */
export function tagCopyPut(tenant: string, message: TagMessage, position: string): DocumentPut {
  const source = { revision: message.revision, position }
  return message.kind === 'tag'
    ? documentPut(samplingTags, tenant, message.tagId, { tag: message, position }, source)
    : documentPut(samplingAssociations, tenant, message.associationId, { association: message, position }, source)
}

/** Whether the copy of a tag, an association or a UDF template stands exactly there in the catalog's log. */
export async function tagsStandAt(documents: Documents, tenant: string, position: string): Promise<boolean> {
  const query = { where: [{ field: 'position', is: position }], size: 1 }
  const found = await Promise.all([
    documents.find(samplingTags, tenant, query),
    documents.find(samplingAssociations, tenant, query),
    documents.find(samplingTemplates, tenant, query),
  ])
  return found.some(({ documents: copies }) => copies.length > 0)
}

const atOnce = 500

/** The table and those of its columns that carry a protected tag, by id. */
export async function protectedAssets(
  documents: Documents,
  tenant: string,
  tableId: number,
): Promise<ReadonlySet<number>> {
  const known = new Map<number, boolean>()
  const assets = new Set<number>()
  const where = [
    { field: 'tableId', is: tableId },
    { field: 'present', is: true },
  ]
  for (let page = 0; ; page += 1) {
    const found = await documents.find(samplingAssociations, tenant, { where, page, size: atOnce })
    for (const { association } of found.documents) {
      const { tagId, assetId } = association
      const isProtected = known.get(tagId) ?? (await isProtectedTag(documents, tenant, tagId))
      known.set(tagId, isProtected)
      if (isProtected) assets.add(assetId)
    }
    if (found.documents.length < atOnce) return assets
  }
}

/** Of a tag that was merged, the one that it was merged into counts. One that nobody has told of yet may be protected. */
async function isProtectedTag(documents: Documents, tenant: string, tagId: number): Promise<boolean> {
  const seen = new Set<number>()
  for (let id: number | null = tagId; id !== null && !seen.has(id); ) {
    seen.add(id)
    const copy: TagCopy | undefined = (await documents.get(samplingTags, tenant, id))?.document
    if (copy === undefined || copy.tag.protected) return true
    id = copy.tag.mergedIntoId
  }
  return false
}
