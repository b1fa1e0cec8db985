import type { Collection, Documents } from '@assay/documents'
import type { Position } from './port.ts'

/**
 * The positions that the local read model has reached exactly, by the field `position` of its documents. Takes one
 * query, and further ones only if several documents have the same position.
 */
export async function reachedPositions<T>(
  documents: Pick<Documents, 'find'>,
  collection: Collection<T>,
  tenant: string,
  positions: readonly Position[],
): Promise<ReadonlySet<Position>> {
  const there = new Set<Position>()
  let asked = [...new Set(positions)]
  while (asked.length > 0) {
    const query = { where: [{ field: 'position', in: asked }], size: asked.length }
    const found = await documents.find(collection, tenant, query)
    for (const copy of found.documents) there.add(String(collection.fields.position?.of(copy)))
    if (found.documents.length === 0 || found.count <= found.documents.length) break
    asked = asked.filter((position) => !there.has(position))
  }
  return there
}
