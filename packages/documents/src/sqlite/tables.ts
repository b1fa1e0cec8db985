import { AssayError } from '@assay/service-kit/errors'
import { type Database, numberIn, textIn } from '@assay/sqlite'
import type { CollectionShape } from '../port.ts'
import { announceRebuilt, countTable, hasCounts, makeCounts, shadowCounts, shadowCountTable } from './counts.ts'
import { ensureListings, type IndexMade } from './listings.ts'
import { dropNames, nameTables } from './names.ts'
import { type Table, tableOf } from './table.ts'

/** The tables of a database's collections, and which of them still need a rebuild. */
export interface Tables {
  of(collection: string): Table
  names(): string[]
  /** The number of tables that the collection has had. */
  generation(collection: string): number
  /** Collections whose table was recreated and that no rebuild has filled since. */
  unbuilt(): string[]
  /**
   * Creates empty tables alongside the live ones and returns their names. Drops the leftovers of an interrupted
   * rebuild.
   */
  makeShadows(collections: readonly string[]): Map<string, string>
  dropShadows(collections: readonly string[]): void
  /** The statements that create the indexes of a shadow. Each can take a while. */
  shadowIndexes(collection: string): string[]
  /** Replaces the live tables by their shadows. Must be called within a transaction. */
  switchToShadows(collections: readonly string[]): void
}

const shadowOf = (table: Table): string => `new_${table.name}`

/** Drops a shadow and its counts; SQLite drops the triggers with the table. */
const dropShadow = (table: Table): string =>
  `DROP TABLE IF EXISTS ${shadowOf(table)};${table.search === undefined ? '' : `DROP TABLE IF EXISTS ${shadowCountTable(table.search)};`}`

/**
 * Creates missing tables. A table of another version, or with other columns, is dropped and recreated empty. `onIndex`
 * is called before an index that an existing table lacks is created.
 */
export function createTables(
  database: Database,
  collections: readonly CollectionShape[],
  onIndex: (made: IndexMade) => void = () => undefined,
): Tables {
  const tables = new Map<string, Table>()
  for (const collection of collections) {
    if (tables.has(collection.name))
      throw new AssayError('internal', `The collection ${collection.name} is declared twice.`)
    tables.set(collection.name, tableOf(collection))
  }

  function of(name: string): Table {
    const table = tables.get(name)
    if (table === undefined) throw new AssayError('internal', `The collection ${name} was not declared to the store.`)
    return table
  }

  const generation = (name: string): number => {
    const row = database.prepare('SELECT generation FROM documents_catalog WHERE name = ?').get(name)
    return row === undefined ? 0 : numberIn(row, 'generation')
  }

  function make(collection: CollectionShape): void {
    const { name, version } = collection
    const table = of(name)
    const known = database.prepare('SELECT version, signature FROM documents_catalog WHERE name = ?').get(name)
    if (
      known !== undefined &&
      numberIn(known, 'version') === version &&
      textIn(known, 'signature') === table.signature
    ) {
      // A version without counts has created the table, so the counts are built once.
      if (table.search !== undefined && !hasCounts(database, table)) makeCounts(database, table, generation(name))
      return
    }
    const next = generation(name) + 1
    database.exec(`${dropShadow(table)} DROP TABLE IF EXISTS ${table.name}`)
    if (table.search !== undefined) dropNames(database, table.search.prefix)
    database.exec([table.create(table.name), ...table.createIndexes(table.name, next)].join(';\n'))
    database
      .prepare(
        'INSERT OR REPLACE INTO documents_catalog (name, version, signature, generation, built) VALUES (?, ?, ?, ?, 0)',
      )
      .run(name, version, table.signature, next)
    makeCounts(database, table, next)
  }

  database.transaction(() => {
    database.exec(`CREATE TABLE IF NOT EXISTS documents_catalog (name TEXT PRIMARY KEY, version INTEGER NOT NULL,
      signature TEXT NOT NULL, generation INTEGER NOT NULL, built INTEGER NOT NULL) STRICT`)
    for (const collection of collections) make(collection)
    for (const { search } of tables.values()) if (search !== undefined) database.exec(nameTables(search.prefix))
  })
  const live = collections.map(({ name }) => ({ table: of(name), generation: generation(name) }))
  ensureListings(database, live, onIndex)

  return {
    of,
    names: () => [...tables.keys()],
    generation,
    unbuilt() {
      const rows = database.prepare('SELECT name FROM documents_catalog WHERE built = 0 ORDER BY name').all()
      return rows.map((row) => textIn(row, 'name')).filter((name) => tables.has(name))
    },
    makeShadows(names) {
      const shadows = new Map<string, string>()
      database.transaction(() => {
        for (const name of names) {
          const table = of(name)
          const shadow = shadowOf(table)
          database.exec(`${dropShadow(table)} ${table.create(shadow)}`)
          if (table.search !== undefined) database.exec(shadowCounts(table.search, shadow, generation(name) + 1))
          shadows.set(name, shadow)
        }
      })
      return shadows
    },
    dropShadows(names) {
      for (const name of names) database.exec(dropShadow(of(name)))
    },
    shadowIndexes: (name) => of(name).createIndexes(shadowOf(of(name)), generation(name) + 1),
    switchToShadows(names) {
      for (const name of names) {
        const table = of(name)
        const { search } = table
        database.exec(`DROP TABLE ${table.name}`)
        if (search !== undefined) {
          const counts = countTable(search)
          database.exec(`DROP TABLE ${counts}; ALTER TABLE ${shadowCountTable(search)} RENAME TO ${counts}`)
          announceRebuilt(database, search)
        }
        database.exec(`ALTER TABLE ${shadowOf(table)} RENAME TO ${table.name}`)
        database.prepare('UPDATE documents_catalog SET generation = generation + 1, built = 1 WHERE name = ?').run(name)
      }
    },
  }
}
