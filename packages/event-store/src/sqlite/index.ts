export { createSqliteCheckpoints, type SqliteCheckpoints } from './checkpoints.ts'
export { createSqliteCommit, type TransactionalDocuments } from './commit.ts'
export { createSqliteEventStore, type SqliteEventStore } from './event-store.ts'
export { createWake, type Wake } from './wake.ts'
