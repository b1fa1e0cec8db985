import type { Copies } from './copies.ts'
import { executionAssociations, executionTags } from './copies.ts'

const atOnce = 500

/** Whether the copy of an association stands exactly there in the catalog's log. */
export async function associationStandsAt(documents: Copies, tenant: string, position: string): Promise<boolean> {
  const query = { where: [{ field: 'position', is: position }], size: 1 }
  return (await documents.find(executionAssociations, tenant, query)).documents.length > 0
}

export interface CarriedTag {
  /** The tag, and those that it was merged into, one after the other: the last is what it counts as. */
  tagIds: readonly number[]
  /** The table, or one of its columns. */
  assetId: number
}

/** What the table and its columns carry now. */
export async function carriedTags(documents: Copies, tenant: string, tableId: number): Promise<CarriedTag[]> {
  const merges = new Map<number, readonly number[]>()
  const carried: CarriedTag[] = []
  const where = [
    { field: 'tableId', is: tableId },
    { field: 'present', is: true },
  ]
  for (let page = 0; ; page += 1) {
    const found = await documents.find(executionAssociations, tenant, { where, page, size: atOnce })
    for (const { association } of found.documents) {
      const { tagId, assetId } = association
      const tagIds = merges.get(tagId) ?? (await mergesOf(documents, tenant, tagId))
      merges.set(tagId, tagIds)
      carried.push({ tagIds, assetId })
    }
    if (found.documents.length < atOnce) return carried
  }
}

async function mergesOf(documents: Copies, tenant: string, tagId: number): Promise<number[]> {
  const seen: number[] = []
  for (let id: number | null = tagId; id !== null && !seen.includes(id); ) {
    seen.push(id)
    const copy: Awaited<ReturnType<typeof tagCopy>> = await tagCopy(documents, tenant, id)
    id = copy?.mergedIntoId ?? null
  }
  return seen
}

const tagCopy = async (documents: Copies, tenant: string, id: number) =>
  (await documents.get(executionTags, tenant, id))?.document.tag

/** The id that the tag of that name counts as; of several, one in use before one that was merged. */
export async function tagNamed(documents: Copies, tenant: string, name: string): Promise<number | undefined> {
  const where = [{ field: 'name', is: name }]
  const found = await documents.find(executionTags, tenant, { where, size: atOnce })
  const isMerged = ({ tag }: (typeof found.documents)[number]) => Number(tag.mergedIntoId !== null)
  const [first] = [...found.documents].sort((a, b) => isMerged(a) - isMerged(b))
  return first && (await mergesOf(documents, tenant, first.tag.tagId)).at(-1)
}

/**
 * The table and those of its columns that carry a protected tag. A tag that nobody has told of yet may be protected; while
 * associations are moved to a tag that is not, what carries the former one still is.
 */
export async function protectedAssets(
  documents: Copies,
  tenant: string,
  tableId: number,
): Promise<ReadonlySet<number>> {
  const assets = new Set<number>()
  for (const { tagIds, assetId } of await carriedTags(documents, tenant, tableId)) {
    const tags = await Promise.all(tagIds.map((id) => tagCopy(documents, tenant, id)))
    if (tags.some((tag) => tag === undefined || tag.protected)) assets.add(assetId)
  }
  return assets
}
