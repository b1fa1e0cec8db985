import { type TagMessage, tagMessage } from '@assay/contracts'
import { type Collection, type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const tagCopy = z.object({ tag: tagMessage.options[0] })
/** A tag as of the catalog's last message about it. */
export type TagCopy = z.infer<typeof tagCopy>

const associationCopy = z.object({ association: tagMessage.options[1] })
/** Whether an asset carries a tag. */
export type AssociationCopy = z.infer<typeof associationCopy>

/** The two collections in which a service keeps replicas of the catalog's tags and associations. */
export interface TagCollections {
  tags: Collection<TagCopy>
  associations: Collection<AssociationCopy>
}

/** The collections of one service. Their names begin with `service`, because services may share a store. */
export function defineTagCollections(service: string): TagCollections {
  return {
    tags: defineCollection<TagCopy>({
      name: `${service}_tags`,
      version: 4,
      idType: 'integer',
      schema: tagCopy,
      fields: {
        name: { type: 'text', of: ({ tag }) => tag.name },
        protected: { type: 'boolean', of: ({ tag }) => tag.protected },
      },
    }),
    associations: defineCollection<AssociationCopy>({
      name: `${service}_tag_associations`,
      version: 3,
      idType: 'text',
      schema: associationCopy,
      fields: {
        tableId: { type: 'integer', of: ({ association }) => association.tableId },
        present: { type: 'boolean', of: ({ association }) => association.present },
      },
      listings: [['tableId', 'present']],
    }),
  }
}

/**
 * The document put for a message. The ids of the documents are those of the streams. `position`: the position of the
 * message's state in the catalog's log. Pure.
 */
export function tagPut(
  { tags, associations }: TagCollections,
  tenant: string,
  message: TagMessage,
  position: string,
): DocumentPut {
  const source = { revision: message.revision, position }
  if (message.kind === 'tag') return documentPut(tags, tenant, message.tagId, { tag: message }, source)
  const id = `${message.assetId}.${message.tagId}`
  return documentPut(associations, tenant, id, { association: message }, source)
}

/** The reads that the functions here need. */
export type Reading = Pick<Documents, 'get' | 'find'>

/** A tag of a table or of one of its columns. */
export interface CarriedTag {
  /** The tag, the tag that it was merged into, and so on; the last one in the list is in effect. */
  tagIds: readonly number[]
  /** The table, or one of its columns. */
  assetId: number
}

const atOnce = 500

/** Reads the tags of one tenant. */
export interface TagReader {
  /** The current tags of the table and its columns. */
  carried(tableId: number): Promise<CarriedTag[]>
  /** The id of the tag in effect for a name. Among several tags with that name, prefers one that was not merged. */
  named(name: string): Promise<number | undefined>
  /**
   * The table and its columns that have a protected tag. A tag that is missing from the local read model counts as
   * protected. While associations move to an unprotected tag, assets with the former tag remain protected.
   */
  protectedOf(tableId: number): Promise<Set<number>>
}

export function createTagReader(documents: Reading, tenant: string, { tags, associations }: TagCollections): TagReader {
  const copies = new Map<number, Promise<TagCopy['tag'] | undefined>>()

  function copyOf(id: number): Promise<TagCopy['tag'] | undefined> {
    const known = copies.get(id) ?? documents.get(tags, tenant, id).then((stored) => stored?.document.tag)
    copies.set(id, known)
    return known
  }

  async function mergesOf(tagId: number): Promise<number[]> {
    const seen: number[] = []
    for (let id: number | null = tagId; id !== null && !seen.includes(id); ) {
      seen.push(id)
      const copy: TagCopy['tag'] | undefined = await copyOf(id)
      id = copy?.mergedIntoId ?? null
    }
    return seen
  }

  async function carried(tableId: number): Promise<CarriedTag[]> {
    const found: CarriedTag[] = []
    const where = [
      { field: 'tableId', is: tableId },
      { field: 'present', is: true },
    ]
    for (let page = 0; ; page += 1) {
      const { documents: some } = await documents.find(associations, tenant, { where, page, size: atOnce })
      for (const { association } of some)
        found.push({ tagIds: await mergesOf(association.tagId), assetId: association.assetId })
      if (some.length < atOnce) return found
    }
  }

  return {
    carried,
    async named(name) {
      const where = [{ field: 'name', is: name }]
      const { documents: found } = await documents.find(tags, tenant, { where, size: atOnce })
      const isMerged = ({ tag }: TagCopy) => Number(tag.mergedIntoId !== null)
      const [first] = [...found].sort((a, b) => isMerged(a) - isMerged(b))
      return first && (await mergesOf(first.tag.tagId)).at(-1)
    },
    async protectedOf(tableId) {
      const assets = new Set<number>()
      for (const { tagIds, assetId } of await carried(tableId)) {
        const chain = await Promise.all(tagIds.map(copyOf))
        if (chain.some((tag) => tag === undefined || tag.protected)) assets.add(assetId)
      }
      return assets
    },
  }
}
