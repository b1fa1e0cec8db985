import type { Declared } from '../dataset.ts'
import type { Connection } from '../push-down/connection.ts'
import { textsOf } from '../push-down/texts.ts'
import { textLiteral } from '../sql/quote.ts'
import type { Entry } from '../sql/view-reads.ts'

/** A table or view in the catalog of the server. `readable`: whether the user may read at least one of its columns. */
export interface CatalogTable extends Entry {
  oid: number
  schema: string
  name: string
  readable: boolean
  /** Estimates of the server; null if it has none. */
  rows: number | null
  bytes: number | null
  comment: string | null
}

export interface CatalogColumn {
  name: string
  dataType: string
  required: boolean
  comment: string | null
  readable: boolean
}

const list = (values: readonly string[]) => values.map(textLiteral).join(', ')
const ids = (tables: readonly CatalogTable[]) => tables.map(({ oid }) => oid).join(', ')
const count = (text: string | null | undefined) => (text === null || text === undefined ? null : Number(text))

const ofPeople = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`

/** The schemas other than the system's, in order. `readable`: whether the user may use the objects in it. */
export async function schemasOf(connection: Connection): Promise<{ name: string; readable: boolean }[]> {
  const rows = await textsOf(
    connection,
    `SELECT n.nspname, has_schema_privilege(n.oid, 'USAGE') FROM pg_namespace n WHERE ${ofPeople} ORDER BY 1`,
  )
  return rows.map(([name, readable]) => ({ name: name ?? '', readable: readable === 't' }))
}

/** Its size and that of its partitions. Comes from the last analysis, so that no lock is needed. */
const sizes = `CASE c.relkind WHEN 'v' THEN NULL WHEN 'f' THEN NULL WHEN 'p' THEN
  (SELECT sum(p.relpages::bigint) FROM pg_partition_tree(c.oid) t JOIN pg_class p ON p.oid = t.relid WHERE t.isleaf)
  ELSE c.relpages END * current_setting('block_size')::bigint`
const estimates = `CASE WHEN c.relkind = 'p' THEN
  (SELECT sum(greatest(p.reltuples, 0)) FROM pg_partition_tree(c.oid) t JOIN pg_class p ON p.oid = t.relid WHERE t.isleaf)
  WHEN c.relkind = 'v' OR c.reltuples < 0 OR (c.reltuples = 0 AND c.relpages = 0) THEN NULL ELSE c.reltuples END`

/** The tables and views of schemas, in order, without partitions of tables. */
export async function tablesOf(connection: Connection, schemas: readonly string[]): Promise<CatalogTable[]> {
  if (schemas.length === 0) return []
  const rows = await textsOf(
    connection,
    `SELECT c.oid, n.nspname, c.relname, c.relkind,
      has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT'),
      round((${estimates})::numeric), ${sizes}, obj_description(c.oid, 'pg_class'),
      CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) ELSE '' END
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN (${list(schemas)}) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    ORDER BY 2, 3`,
  )
  return rows.map(([oid, schema, name, kind, readable, estimate, bytes, comment, definition]) => ({
    oid: Number(oid),
    schema: schema ?? '',
    name: name ?? '',
    assetType: kind === 'v' || kind === 'm' ? 'VIEW' : 'TABLE',
    readable: readable === 't',
    rows: count(estimate),
    bytes: count(bytes),
    comment: comment ?? null,
    definition: definition ?? '',
  }))
}

/** The columns of tables, by the id of the table. */
export async function columnsOf(
  connection: Connection,
  tables: readonly CatalogTable[],
): Promise<Map<number, CatalogColumn[]>> {
  const rows = await textsOf(
    connection,
    `SELECT a.attrelid, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      col_description(a.attrelid, a.attnum), has_column_privilege(a.attrelid, a.attnum, 'SELECT')
    FROM pg_attribute a WHERE a.attrelid IN (${ids(tables)}) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attrelid, a.attnum`,
  )
  const all = new Map<number, CatalogColumn[]>(tables.map(({ oid }) => [oid, []]))
  for (const [oid, name, dataType, required, comment, readable] of rows)
    all.get(Number(oid))?.push({
      name: name ?? '',
      dataType: dataType ?? '',
      required: required === 't',
      comment: comment ?? null,
      readable: readable === 't',
    })
  return all
}

const named = (table: string, key: string) => `(SELECT json_agg(a.attname ORDER BY k.place)
  FROM unnest(${key}) WITH ORDINALITY AS k(number, place)
  JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = k.number)`

/** The keys of tables, by the id of the table. */
export async function keysOf(
  connection: Connection,
  tables: readonly CatalogTable[],
): Promise<Map<number, Pick<Declared, 'primaryKey' | 'uniqueKeys' | 'foreignKeys'>>> {
  const rows = await textsOf(
    connection,
    `SELECT o.conrelid, o.contype, ${named('o.conrelid', 'o.conkey')}, n.nspname, c.relname, ${named('o.confrelid', 'o.confkey')}
    FROM pg_constraint o LEFT JOIN pg_class c ON c.oid = o.confrelid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE o.conrelid IN (${ids(tables)}) AND o.contype IN ('p', 'u', 'f') ORDER BY o.conrelid, o.conname`,
  )
  const names = (json: string | null | undefined): string[] => {
    const parsed: unknown = JSON.parse(json ?? '[]')
    return Array.isArray(parsed) ? parsed.map(String) : []
  }
  const all = new Map<number, Pick<Declared, 'primaryKey' | 'uniqueKeys' | 'foreignKeys'>>()
  for (const [oid, kind, columns, schema, table, others] of rows) {
    const known = all.get(Number(oid)) ?? {}
    all.set(Number(oid), known)
    if (kind === 'p') known.primaryKey = names(columns)
    else if (kind === 'u') known.uniqueKeys = [...(known.uniqueKeys ?? []), names(columns)]
    else {
      const references = { schema: schema ?? '', table: table ?? '', columns: names(others) }
      known.foreignKeys = [...(known.foreignKeys ?? []), { columns: names(columns), references }]
    }
  }
  return all
}

/**
 * A function that returns what a view reads directly. It returns `null` if the view calls a user-defined function,
 * which may read anything, or reads a table that is not in `tables`.
 */
export async function directReads(
  connection: Connection,
  tables: readonly CatalogTable[],
): Promise<(view: CatalogTable) => CatalogTable[] | null> {
  const views = tables.filter(({ assetType }) => assetType === 'VIEW')
  if (views.length === 0) return () => []
  const rows = await textsOf(
    connection,
    `SELECT DISTINCT r.ev_class, d.refclassid = 'pg_proc'::regclass, d.refobjid
    FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    WHERE r.ev_class IN (${ids(views)}) AND d.refobjid <> r.ev_class
      AND (d.refclassid = 'pg_class'::regclass OR (d.refclassid = 'pg_proc'::regclass AND d.refobjid >= 16384))`,
  )
  const byId = new Map(tables.map((table) => [table.oid, table]))
  const reads = new Map<number, (CatalogTable | undefined)[]>()
  for (const [view, isFunction, read] of rows) {
    const known = reads.get(Number(view)) ?? []
    reads.set(Number(view), [...known, isFunction === 't' ? undefined : byId.get(Number(read))])
  }
  return ({ oid }) => {
    const all = reads.get(oid) ?? []
    const found = all.flatMap((read) => read ?? [])
    return found.length === all.length ? found : null
  }
}
