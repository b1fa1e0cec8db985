import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase, textIn } from '@assay/sqlite'
import type { Collection, Query } from '../port.ts'
import { createSqliteDocuments } from '../sqlite/index.ts'

/** How SQLite runs a query: the steps from `EXPLAIN QUERY PLAN`, for each statement that the store runs. */
export async function plansOf(database: Database, ask: (watched: Database) => Promise<unknown>): Promise<string[]> {
  const asked: string[] = []
  await ask({
    ...database,
    prepare(sql) {
      asked.push(sql)
      return database.prepare(sql)
    },
  })
  return asked
    .filter((sql) => sql.startsWith('SELECT'))
    .map((sql) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array.from(sql.matchAll(/\?/g), () => null))
        .map((step) => textIn(step, 'detail'))
        .join('; '),
    )
}

/** How SQLite finds the page of a listing. */
export async function planOfListing<T>(collection: Collection<T>, query: Query): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plans-'))
  const database = openDatabase({ path: join(folder, 'a.db'), synchronous: 'NORMAL' })
  try {
    const plans = await plansOf(database, async (watched) => {
      const documents = createSqliteDocuments({ database: watched, collections: [collection] })
      await documents.find(collection, 't', query)
      await documents.close()
    })
    return plans.at(-1) ?? ''
  } finally {
    await database.close()
    await rm(folder, { recursive: true })
  }
}
