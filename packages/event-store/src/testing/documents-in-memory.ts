import type { Collection, DocumentId, DocumentPut, Stored } from '@assay/documents'

/** The part of documents that this package needs: put with a higher revision, and get. */
export interface DocumentsInMemory {
  putNow(puts: readonly DocumentPut[]): void
  put(puts: readonly DocumentPut[]): Promise<void>
  get<T>(collection: Collection<T>, tenant: string, id: DocumentId): Promise<Stored<T> | undefined>
  /** JSON of everything, for comparing. */
  all(): { [key: string]: string }
  writes(): number
}

export function createDocumentsInMemory(): DocumentsInMemory {
  const stored = new Map<string, DocumentPut>()
  let writes = 0
  const keyOf = (collection: string, tenant: string, id: DocumentId): string => `${collection} ${tenant} ${id}`
  const putNow = (puts: readonly DocumentPut[]): void => {
    for (const put of puts) {
      const key = keyOf(put.collection.name, put.tenant, put.id)
      if ((stored.get(key)?.source.revision ?? -1) >= put.source.revision) continue
      stored.set(key, put)
      writes += 1
    }
  }
  return {
    putNow,
    put: async (puts) => putNow(puts),
    async get(collection, tenant, id) {
      const put = stored.get(keyOf(collection.name, tenant, id))
      if (put === undefined || put.document === null) return undefined
      return { id: put.id, document: collection.schema.parse(put.document), source: put.source }
    },
    all: () =>
      Object.fromEntries(
        [...stored].sort().map(([key, { document, source }]) => [key, JSON.stringify({ document, source })]),
      ),
    writes: () => writes,
  }
}
