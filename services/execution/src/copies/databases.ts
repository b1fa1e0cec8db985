import { databaseReader, defineDatabaseCollection } from '@assay/catalog-copies'
import { type RemoteSource, readRemoteSource } from '@assay/data-engine'
import type { Documents } from '@assay/documents'

/** The databases that tables are in, from the catalog's last messages about their assemblies. */
export const executionDatabases = defineDatabaseCollection('execution')

/** Finds the database or the object store of an assembly, for the engine that reads its tables. */
export function databasesIn(
  documents: Pick<Documents, 'get'>,
): (tenant: string, assemblyId: number) => Promise<RemoteSource | undefined> {
  return databaseReader(documents, executionDatabases, readRemoteSource)
}
