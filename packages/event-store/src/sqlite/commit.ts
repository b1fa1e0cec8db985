import type { DocumentPut } from '@assay/documents'
import type { Database } from '@assay/sqlite'
import type { Commit } from '../commit.ts'
import type { SqliteEventStore } from './event-store.ts'

/** Documents that can be put within the open transaction of the same database. */
export interface TransactionalDocuments {
  putNow(puts: readonly DocumentPut[]): void
}

/** Writes events and documents in one transaction. Store and documents must use `database`. */
export function createSqliteCommit(options: {
  database: Database
  store: Pick<SqliteEventStore, 'prepareAppend'>
  documents: TransactionalDocuments
}): Commit {
  const { database, store, documents } = options
  return async (append, puts) => {
    const appendNow = store.prepareAppend(append.stream, append.events, append.expected)
    return database.write(() => {
      const appended = appendNow()
      documents.putNow(puts(appended))
      return appended
    })
  }
}
