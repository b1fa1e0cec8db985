export { createSqliteDocuments, type SqliteDocuments } from './documents.ts'
export type { RebuildTarget } from './rebuild.ts'
