import type { Copies } from './copies.ts'
import { executionAssociations, executionTags } from './copies.ts'

const atOnce = 500

/** Whether the copy of an association stands exactly there in the catalog's log. */
export async function associationStandsAt(documents: Copies, tenant: string, position: string): Promise<boolean> {
  const query = { where: [{ field: 'position', is: position }], size: 1 }
  return (await documents.find(executionAssociations, tenant, query)).documents.length > 0
}

export interface CarriedTag {
  tagId: number
  /** The table, or one of its columns. */
  assetId: number
}

/** What the table and its columns carry now. A tag that was merged is the one that it was merged into. */
export async function carriedTags(documents: Copies, tenant: string, tableId: number): Promise<CarriedTag[]> {
  const final = new Map<number, number>()
  const carried: CarriedTag[] = []
  const where = [
    { field: 'tableId', is: tableId },
    { field: 'present', is: true },
  ]
  for (let page = 0; ; page += 1) {
    const found = await documents.find(executionAssociations, tenant, { where, page, size: atOnce })
    for (const { association } of found.documents) {
      const { tagId, assetId } = association
      const standsFor = final.get(tagId) ?? (await finalTag(documents, tenant, tagId))
      final.set(tagId, standsFor)
      carried.push({ tagId: standsFor, assetId })
    }
    if (found.documents.length < atOnce) return carried
  }
}

async function finalTag(documents: Copies, tenant: string, tagId: number): Promise<number> {
  const seen = new Set<number>()
  let id = tagId
  for (;;) {
    seen.add(id)
    const next = (await documents.get(executionTags, tenant, id))?.document.tag.mergedIntoId ?? null
    if (next === null || seen.has(next)) return id
    id = next
  }
}

/** The tag of that name, in use before one that was merged. Case counts, unless nothing else has the name. */
export async function tagNamed(documents: Copies, tenant: string, name: string): Promise<number | undefined> {
  const where = [{ field: 'name', is: name }]
  const found = await documents.find(executionTags, tenant, { where, size: atOnce })
  const [first] = found.documents.sort(
    (a, b) => Number(a.tag.mergedIntoId !== null) - Number(b.tag.mergedIntoId !== null),
  )
  return first && finalTag(documents, tenant, first.tag.tagId)
}

/** The table and those of its columns that carry a protected tag. A tag that nobody has told of yet may be protected. */
export async function protectedAssets(
  documents: Copies,
  tenant: string,
  tableId: number,
): Promise<ReadonlySet<number>> {
  const assets = new Set<number>()
  for (const { tagId, assetId } of await carriedTags(documents, tenant, tableId)) {
    const copy = await documents.get(executionTags, tenant, tagId)
    if (copy === undefined || copy.document.tag.protected) assets.add(assetId)
  }
  return assets
}
