import { type Database, numberIn, type SqlValue } from '@assay/sqlite'
import type { FieldValue } from '../port.ts'
import { formsOf, tailsOf, typoKeys } from '../search/words.ts'
import type { SearchTable } from './table.ts'

/**
 * The names of a collection. Each is stored once, however many documents have it. A search first finds the names that
 * match a text, and then their documents. Names are only added; a name without documents is harmless.
 */
export function nameTables(prefix: string): string {
  return `
    CREATE TABLE IF NOT EXISTS ${prefix}_name (key INTEGER PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL,
      folded TEXT NOT NULL, squashed TEXT NOT NULL, UNIQUE (tenant, name)) STRICT;
    CREATE INDEX IF NOT EXISTS ${prefix}_folded ON ${prefix}_name (tenant, folded);
    CREATE INDEX IF NOT EXISTS ${prefix}_squashed ON ${prefix}_name (tenant, squashed);
    CREATE VIRTUAL TABLE IF NOT EXISTS ${prefix}_fts USING fts5(squashed, content='', tokenize='trigram', detail='none');
    CREATE TABLE IF NOT EXISTS ${prefix}_tail (tenant TEXT NOT NULL, tail TEXT NOT NULL, key INTEGER NOT NULL,
      PRIMARY KEY (tenant, tail, key)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS ${prefix}_word (tenant TEXT NOT NULL, word TEXT NOT NULL, key INTEGER NOT NULL,
      PRIMARY KEY (tenant, word, key)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS ${prefix}_typo (tenant TEXT NOT NULL, typo TEXT NOT NULL, word TEXT NOT NULL,
      PRIMARY KEY (tenant, typo, word)) STRICT, WITHOUT ROWID;`
}

/** Cache of the keys of recent names, by database, because crawls write the same column names again and again. */
const keys = new WeakMap<Database, Map<string, number>>()
const keptKeys = 50_000

/** Drops the names of a collection that is recreated, because the folding of names may have changed. */
export function dropNames(database: Database, prefix: string): void {
  database.exec(['name', 'fts', 'tail', 'word', 'typo'].map((of) => `DROP TABLE IF EXISTS ${prefix}_${of}`).join(';'))
  keys.delete(database)
}

function remember(database: Database, at: string, key: number): void {
  // Caches only committed keys: after a rollback, SQLite could give the same key to another name.
  database.afterCommit(() => {
    const known = keys.get(database) ?? new Map<string, number>()
    if (known.size >= keptKeys) known.clear()
    known.set(at, key)
    keys.set(database, known)
  })
}

function insertName(database: Database, { prefix }: SearchTable, tenant: string, name: string): number {
  const forms = formsOf(name)
  const { lastInsertRowid: key } = database
    .prepare(`INSERT INTO ${prefix}_name (tenant, name, folded, squashed) VALUES (?, ?, ?, ?)`)
    .run(tenant, name, forms.folded, forms.squashed)
  database.prepare(`INSERT INTO ${prefix}_fts (rowid, squashed) VALUES (?, ?)`).run(key, forms.squashed)
  const tail = database.prepare(`INSERT INTO ${prefix}_tail (tenant, tail, key) VALUES (?, ?, ?)`)
  for (const each of tailsOf(forms)) tail.run(tenant, each, key)
  const known = database.prepare(`SELECT 1 AS one FROM ${prefix}_word WHERE tenant = ? AND word = ? LIMIT 1`)
  const word = database.prepare(`INSERT INTO ${prefix}_word (tenant, word, key) VALUES (?, ?, ?)`)
  const typo = database.prepare(`INSERT OR IGNORE INTO ${prefix}_typo (tenant, typo, word) VALUES (?, ?, ?)`)
  for (const each of new Set(forms.words)) {
    if (known.get(tenant, each) === undefined) for (const form of typoKeys(each)) typo.run(tenant, form, each)
    word.run(tenant, each, key)
  }
  return key
}

/** The key of a name. A new name is added. `null` for a document without a name. */
export function nameKey(
  database: Database,
  search: SearchTable,
  tenant: string,
  value: FieldValue | undefined,
): SqlValue {
  if (typeof value !== 'string') return null
  const at = `${search.prefix}\0${tenant}\0${value}`
  const known = keys.get(database)?.get(at)
  if (known !== undefined) return known
  const row = database.prepare(`SELECT key FROM ${search.prefix}_name WHERE tenant = ? AND name = ?`).get(tenant, value)
  const key = row === undefined ? insertName(database, search, tenant, value) : numberIn(row, 'key')
  remember(database, at, key)
  return key
}
