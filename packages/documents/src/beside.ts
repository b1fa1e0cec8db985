import { AssayError } from '@assay/service-kit/errors'
import type { Beside, Collection, CollectionShape, DocumentId, Documents, TextBeside } from './port.ts'

/** Throws `internal` for a field that the collection has not, or whose values are no ids of the other. */
export function checkedBeside(collection: CollectionShape, { collection: other, by }: Beside): void {
  const type = by === 'id' ? collection.idType : collection.fields[by]?.type
  if (type !== other.idType)
    throw new AssayError('internal', `${collection.name} names no ${other.name} by a field "${by}".`)
}

/** `getTextBeside` of a store that cannot join: first the one, then at once all that it names. */
export function besideByReading(
  read: (
    collection: CollectionShape,
    tenant: string,
    id: DocumentId,
  ) => Promise<Pick<TextBeside, 'text' | 'source'> | undefined>,
): Documents['getTextBeside'] {
  return async <T>(collection: Collection<T>, tenant: string, id: DocumentId, beside: readonly Beside[]) => {
    for (const each of beside) checkedBeside(collection, each)
    const found = await read(collection, tenant, id)
    if (found === undefined) return undefined
    const document: T = JSON.parse(found.text)
    const named = beside.map(async ({ collection: other, by }) => {
      const value = by === 'id' ? id : collection.fields[by]?.of(document)
      if (typeof value !== 'string' && typeof value !== 'number') return undefined
      return (await read(other, tenant, value))?.text
    })
    return { ...found, beside: await Promise.all(named) }
  }
}
