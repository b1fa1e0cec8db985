import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@assay/sqlite'
import { documentsFeatures, testCollections } from '../testing/index.ts'
import { createSqliteDocuments } from './index.ts'

documentsFeatures('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'documents-'))
  const database = openDatabase({ path: join(folder, 'a.db'), synchronous: 'NORMAL' })
  const others: { close(): Promise<void> }[] = []
  return {
    documents: createSqliteDocuments({ database, collections: testCollections }),
    async reopen() {
      const again = openDatabase({ path: join(folder, 'a.db') })
      others.push(again)
      return createSqliteDocuments({ database: again, collections: testCollections })
    },
    async end() {
      for (const other of [database, ...others]) await other.close()
      await rm(folder, { recursive: true })
    },
  }
})
