import type { Database } from '@assay/sqlite'
import { numberIn } from '@assay/sqlite'
import type { SearchTable, Table } from './table.ts'

/**
 * Materialized counts: the number of live documents of each name in each group. A group consists of the documents of a
 * tenant that have the same values in the included fields. Triggers update the counts in the transaction that changes a
 * document, so a rollback covers the counts, too. `_change` is a log of the names whose counts changed.
 */

/** Maximum number of changes that are kept. A reader that has missed older changes reads all counts again. */
const maxChanges = 100_000
/** The key in `_change` after a rebuild of the counts. It means that all names changed. */
export const allNames = -1

export const countTable = (search: SearchTable): string => `${search.prefix}_count`
export const shadowCountTable = (search: SearchTable): string => `new_${search.prefix}_count`

const createCounts = (counts: string) =>
  `CREATE TABLE ${counts} (key INTEGER NOT NULL, gid INTEGER NOT NULL, n INTEGER NOT NULL,
     PRIMARY KEY (key, gid)) STRICT, WITHOUT ROWID`

function groupTable({ prefix, includedColumns }: SearchTable): string {
  const columns = includedColumns.map((column) => `, ${column} ANY`).join('')
  const indexed = ['tenant', ...includedColumns].join(', ')
  return `CREATE TABLE ${prefix}_group (gid INTEGER PRIMARY KEY, tenant TEXT NOT NULL, removed INTEGER NOT NULL${columns}) STRICT;
    CREATE INDEX ${prefix}_groups ON ${prefix}_group (${indexed});`
}

/** The triggers that maintain `counts` for the documents of `table`. `generation` makes their names unique. */
export function countTriggers(search: SearchTable, table: string, counts: string, generation: number): string {
  const { prefix, includedColumns } = search
  const trigger = (what: string) => `"${prefix}_${what}_${generation}"`
  const isGroup = (row: string) =>
    ['tenant', ...includedColumns].map((column) => `g.${column} IS ${row}.${column}`).join(' AND ')
  const groupOf = (row: string) => `(SELECT g.gid FROM ${prefix}_group g WHERE ${isGroup(row)} LIMIT 1)`
  const keyOf = (row: string) => `coalesce(${row}.s_name, 0)`
  const changed = ['removed', 's_name', ...includedColumns]
    .map((column) => `old.${column} IS NOT new.${column}`)
    .join(' OR ')
  const more = `
    INSERT INTO ${prefix}_group (tenant, removed${includedColumns.map((column) => `, ${column}`).join('')})
      SELECT new.tenant, 0${includedColumns.map((column) => `, new.${column}`).join('')}
      WHERE NOT EXISTS (SELECT 1 FROM ${prefix}_group g WHERE ${isGroup('new')});
    INSERT INTO ${counts} (key, gid, n) VALUES (${keyOf('new')}, ${groupOf('new')}, 1)
      ON CONFLICT (key, gid) DO UPDATE SET n = n + 1;
    INSERT INTO ${prefix}_change (key) VALUES (${keyOf('new')});`
  const less = `
    UPDATE ${counts} SET n = n - 1 WHERE key = ${keyOf('old')} AND gid = ${groupOf('old')};
    DELETE FROM ${counts} WHERE key = ${keyOf('old')} AND gid = ${groupOf('old')} AND n = 0;
    INSERT INTO ${prefix}_change (key) VALUES (${keyOf('old')});`
  return `
    CREATE TRIGGER ${trigger('added')} AFTER INSERT ON ${table} WHEN new.removed = 0 BEGIN ${more} END;
    CREATE TRIGGER ${trigger('came')} AFTER UPDATE ON ${table} WHEN new.removed = 0 AND (${changed}) BEGIN ${more} END;
    CREATE TRIGGER ${trigger('left')} AFTER UPDATE ON ${table} WHEN old.removed = 0 AND (${changed}) BEGIN ${less} END;
    CREATE TRIGGER ${trigger('deleted')} AFTER DELETE ON ${table} WHEN old.removed = 0 BEGIN ${less} END;`
}

function changeTable({ prefix }: SearchTable): string {
  return `CREATE TABLE IF NOT EXISTS ${prefix}_change (seq INTEGER PRIMARY KEY, key INTEGER NOT NULL) STRICT;
    CREATE TRIGGER IF NOT EXISTS ${prefix}_forgotten AFTER INSERT ON ${prefix}_change WHEN new.seq % 1000 = 0
      BEGIN DELETE FROM ${prefix}_change WHERE seq <= new.seq - ${maxChanges}; END;`
}

/** Adds to `_change` that all counts were rebuilt. */
export function announceRebuilt(database: Database, { prefix }: SearchTable): void {
  database.exec(`INSERT INTO ${prefix}_change (key) VALUES (${allNames})`)
}

/** Rebuilds the counts of the live table from its documents. Must run within a transaction. */
export function makeCounts(database: Database, { name, search }: Table, generation: number): void {
  if (search === undefined) return
  const { prefix, includedColumns } = search
  const counts = countTable(search)
  const triggers = ['added', 'came', 'left', 'deleted'].map(
    (what) => `DROP TRIGGER IF EXISTS "${prefix}_${what}_${generation}"`,
  )
  const columns = includedColumns.map((column) => `, ${column}`).join('')
  const same = ['tenant', ...includedColumns].map((column) => `g.${column} IS d.${column}`).join(' AND ')
  database.exec(`${triggers.join(';')};
    DROP TABLE IF EXISTS ${counts}; DROP TABLE IF EXISTS ${prefix}_group;
    ${changeTable(search)} ${createCounts(counts)}; ${groupTable(search)}
    INSERT INTO ${prefix}_group (tenant, removed${columns}) SELECT DISTINCT tenant, 0${columns} FROM ${name} WHERE removed = 0;
    INSERT INTO ${counts} (key, gid, n)
      SELECT coalesce(s_name, 0), (SELECT g.gid FROM ${prefix}_group g WHERE ${same} LIMIT 1), count(*)
      FROM ${name} d WHERE removed = 0 GROUP BY 1, 2;
    ${countTriggers(search, name, counts, generation)}`)
  announceRebuilt(database, search)
}

/** Whether the live table has counts. It has none if a version without counts has created or rebuilt it. */
export function hasCounts(database: Database, { name }: Table): boolean {
  const row = database
    .prepare("SELECT count(*) AS found FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?")
    .get(name)
  return row !== undefined && numberIn(row, 'found') > 0
}

/** Creates counts for the shadow of a table, which are maintained from its first row on. */
export function shadowCounts(search: SearchTable, shadow: string, generation: number): string {
  const counts = shadowCountTable(search)
  return `${createCounts(counts)}; ${countTriggers(search, shadow, counts, generation)}`
}
