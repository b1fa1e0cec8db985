import { defineDatabaseCollection } from '@assay/catalog-copies'

/** The databases that tables are in, from the catalog's last messages about their assemblies. */
export const executionDatabases = defineDatabaseCollection('execution')
