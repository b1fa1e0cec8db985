import { createSqliteDocuments } from '@assay/documents/sqlite'
import { openDatabase } from '@assay/sqlite'
import { createParkedMessages, parkedCollections } from '../parked-messages.ts'

/** A store of parked messages, shared by all buses of one test. */
export const parkedInMemory = () =>
  createParkedMessages(
    createSqliteDocuments({ database: openDatabase({ path: ':memory:' }), collections: parkedCollections }),
  )
