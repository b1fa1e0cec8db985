import { type Database, numberIn, type Row, textIn } from '@assay/sqlite'
import type { CheckedQuery } from '../checked-query.ts'
import { type CutTexts, cutAt, wholePage } from '../page-bytes.ts'
import type { Condition } from '../port.ts'
import { orderSql, type Sql, whereSql } from './filter.ts'
import { equalitiesOf, isInOrder, isListed } from './listings.ts'
import type { CountRequest } from './search-request.ts'
import type { Table } from './table.ts'

/**
 * Up to this many matches, sorting is faster than scanning an index that has the order. Sorting them takes about 3 ms.
 */
const fewEnough = 1_000
/** A page that begins after this offset may take long, because all rows before it are read. */
const deepest = 1_000
/**
 * If a table has at most this many rows, the current thread counts and reads, because any query takes a few
 * milliseconds at most.
 */
const countedHere = 5_000

function* bodiesIn(rows: Iterable<Row>): Generator<string> {
  for (const row of rows) yield textIn(row, 'body')
}

/**
 * A page of documents, and the count of all matches.
 * Work that may take long leaves this thread. `countElsewhere` counts, and `readElsewhere` reads deep pages and pages
 * in an order that no index has. If they resolve to `undefined`, because the other thread failed, this thread does the
 * work. If they reject, so does this function.
 * If no index returns the matches in the requested order, SQLite may scan all documents of the tenant until the page is
 * full, because it has no statistics about values. This takes longest if few documents match. So if there is a
 * selective condition, the first one determines the index.
 */
export async function readPage(
  database: Database,
  table: Table,
  asked: {
    tenant: string
    checked: CheckedQuery
    upTo: number | undefined
    countElsewhere(request: CountRequest): Promise<number | undefined>
    readElsewhere(request: CountRequest): Promise<CutTexts | undefined>
  },
): Promise<{ bodies: string[]; count: number }> {
  const { tenant, checked, upTo } = asked
  const { where, sort, page, size, maxBytes } = checked
  const from = ({ text }: Sql) => `FROM ${table.name} WHERE tenant = ? AND ${text}`

  function count(filter: Sql): number {
    const row = database.prepare(`SELECT count(*) AS count ${from(filter)}`).get(tenant, ...filter.values)
    return row === undefined ? 0 : numberIn(row, 'count')
  }

  /** The highest rowid, which is at least the number of rows. */
  function lastRow(): number {
    const row = database.prepare(`SELECT coalesce(max(rowid), 0) AS last FROM ${table.name}`).get()
    return row === undefined ? 0 : numberIn(row, 'last')
  }

  async function countOf(by: Condition | undefined): Promise<number> {
    const last = lastRow()
    if (last <= countedHere) return count(whereSql(table, where, upTo, by))
    const few = rareOne()
    if (few !== undefined) return count(whereSql(table, where, upTo, few))
    // Documents that are added before the count runs are not on the page, so they must not be counted.
    const filter = whereSql(table, where, upTo ?? last)
    const counted = await asked.countElsewhere({
      sql: `SELECT count(*) ${from(filter)}`,
      values: [tenant, ...filter.values],
    })
    return counted ?? count(filter)
  }

  function isRare(condition: Condition): boolean {
    const filter = whereSql(table, [condition])
    const sql = `SELECT count(*) AS count FROM (SELECT 1 ${from(filter)} LIMIT ?)`
    const row = database.prepare(sql).get(tenant, ...filter.values, fewEnough + 1)
    return row !== undefined && numberIn(row, 'count') <= fewEnough
  }

  let found: { rare: Condition | undefined } | undefined
  /** The first selective condition. Determined once, for both page and count. */
  function rareOne(): Condition | undefined {
    found ??= { rare: equalitiesOf(where).find((each) => table.isIndexed(each) && isRare(each)) }
    return found.rare
  }

  async function read(by: Condition | undefined, order: string): Promise<string[]> {
    if (size === 0) return []
    const request = (until: number | undefined): CountRequest => {
      const filter = whereSql(table, where, until, by)
      const sql = `SELECT body ${from(filter)} ORDER BY ${order} LIMIT ? OFFSET ?`
      return { sql, values: [tenant, ...filter.values, size, page * size], maxBytes }
    }
    if (!isQuick || page * size >= deepest) {
      const last = lastRow()
      // Documents that are added before the page is read must not appear on it: the token was issued earlier.
      const bodies = last > countedHere ? await asked.readElsewhere(request(upTo ?? last)) : undefined
      if (bodies !== undefined) return wholePage(bodies)
    }
    const { sql, values } = request(upTo)
    const statement = database.prepare(sql)
    // Row by row is slower, and only needed where a page may end before its last row.
    const rows = maxBytes === undefined ? statement.all(...values) : statement.iterate(...values)
    return wholePage(cutAt(maxBytes, bodiesIn(rows)))
  }

  const isOrdered = isInOrder(table, checked)
  const rare = isOrdered ? undefined : rareOne()
  /** Whether an index answers this condition exactly: an equality, or a range of the sorted field. */
  const isByIndex = (condition: Condition) =>
    'is' in condition ||
    'in' in condition ||
    (condition.field === sort[0]?.field && !('contains' in condition || 'not' in condition))
  const isQuick = rare !== undefined || (isOrdered && where.every(isByIndex))
  const isSorted = rare !== undefined && ('in' in rare || !isListed(table, [rare], sort))
  const bodies = await read(rare, orderSql(table, sort, isSorted))
  // A page that is not full is the last one, so the count follows from it.
  if (bodies.length < size && (bodies.length > 0 || page === 0)) return { bodies, count: page * size + bodies.length }
  return { bodies, count: await countOf(rare) }
}
