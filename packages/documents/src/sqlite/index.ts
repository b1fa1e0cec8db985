export { createSqliteDocuments, type SqliteDocuments } from './documents.ts'
export type { RebuildTarget } from './rebuild.ts'
export { preparing, runSearch, type SearchRequest } from './search-reading.ts'
