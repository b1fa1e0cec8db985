export { createMongoDocuments, type MongoDocuments } from './documents.ts'
export type { MongoTimeouts } from './limits.ts'
export type { RebuildTarget } from './rebuild.ts'
