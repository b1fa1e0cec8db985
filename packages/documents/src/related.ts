import { AssayError } from '@assay/service-kit/errors'
import type { Collection, CollectionShape, DocumentId, Documents, JsonWithRelated, Related } from './port.ts'

/**
 * Throws `internal` if the collection lacks the field, or if the field's type is not the type of the related
 * collection's ids.
 */
export function checkedRelated(collection: CollectionShape, { collection: other, by }: Related): void {
  const type = by === 'id' ? collection.idType : collection.fields[by]?.type
  if (type !== other.idType)
    throw new AssayError('internal', `${collection.name} cannot refer to ${other.name} by a field "${by}".`)
}

/** `getJsonWithRelated` for a store that cannot join: reads the document first, then all related ones concurrently. */
export function relatedByReading(
  read: (
    collection: CollectionShape,
    tenant: string,
    id: DocumentId,
  ) => Promise<Pick<JsonWithRelated, 'text' | 'source'> | undefined>,
): Documents['getJsonWithRelated'] {
  return async <T>(collection: Collection<T>, tenant: string, id: DocumentId, related: readonly Related[]) => {
    for (const each of related) checkedRelated(collection, each)
    const found = await read(collection, tenant, id)
    if (found === undefined) return undefined
    const document: T = JSON.parse(found.text)
    const named = related.map(async ({ collection: other, by }) => {
      const value = by === 'id' ? id : collection.fields[by]?.of(document)
      if (typeof value !== 'string' && typeof value !== 'number') return undefined
      return (await read(other, tenant, value))?.text
    })
    return { ...found, related: await Promise.all(named) }
  }
}
