import { type Database, numberIn, type Row, textIn } from '@assay/sqlite'
import type { CheckedQuery } from '../checked-query.ts'
import { type CutTexts, cutAt, wholePage } from '../page-bytes.ts'
import type { Condition } from '../port.ts'
import { orderSql, type Sql, whereSql } from './filter.ts'
import { equalitiesOf, isInOrder, isListed } from './listings.ts'
import type { CountRequest } from './search-request.ts'
import type { Table } from './table.ts'

/** So many documents are sorted sooner than looked for along the order: some 3 ms. */
const fewEnough = 1_000
/** Pages behind so many documents may take long: all of these are gone through. */
const deepest = 1_000
/** Tables with no more rows are counted and read here: that takes some milliseconds at most, whatever is looked at. */
const countedHere = 5_000

function* bodiesIn(rows: Iterable<Row>): Generator<string> {
  for (const row of rows) yield textIn(row, 'body')
}

/**
 * A page of documents and how many fit in all. The page is read at once; `countElsewhere` counts what may take long, a
 * moment later, without holding up this thread, and so `readElsewhere` reads pages that may take long: deep ones, and those
 * that no index gives in their order. Where they answer `undefined`,
 * because they failed, it is done here after all; where they reject, so does this.
 *
 * Where no index gives what fits in its order, SQLite, which knows of no value how frequent it is, may go through all of
 * the tenant's documents until the page is full: the rarer those that fit, the longer. So the first condition that few
 * fulfil, if there is one, is the one to go by.
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

  /** The highest rowid: at least as many rows were ever added. */
  function lastRow(): number {
    const row = database.prepare(`SELECT coalesce(max(rowid), 0) AS last FROM ${table.name}`).get()
    return row === undefined ? 0 : numberIn(row, 'last')
  }

  async function countOf(by: Condition | undefined): Promise<number> {
    const last = lastRow()
    if (last <= countedHere) return count(whereSql(table, where, upTo, by))
    const few = rareOne()
    if (few !== undefined) return count(whereSql(table, where, upTo, few))
    // What is added until it is counted is not on the page, and not in the count either.
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

  let looked: { rare: Condition | undefined } | undefined
  /** The first condition that few fulfil. Page and count look for it once. */
  function rareOne(): Condition | undefined {
    looked ??= { rare: equalitiesOf(where).find(isRare) }
    return looked.rare
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
      // What is added until it is read is of no mark that was told before.
      const bodies = last > countedHere ? await asked.readElsewhere(request(upTo ?? last)) : undefined
      if (bodies !== undefined) return wholePage(bodies)
    }
    const { sql, values } = request(upTo)
    return wholePage(cutAt(maxBytes, bodiesIn(database.prepare(sql).iterate(...values))))
  }

  const isOrdered = isInOrder(table.listings, checked)
  const rare = isOrdered ? undefined : rareOne()
  /** Whether an index goes just by this: an equality, or a range of what is sorted by. */
  const isByIndex = (condition: Condition) =>
    'is' in condition ||
    'in' in condition ||
    (condition.field === sort[0]?.field && !('contains' in condition || 'not' in condition))
  const isQuick = rare !== undefined || (isOrdered && where.every(isByIndex))
  const isSorted = rare !== undefined && ('in' in rare || !isListed(table.listings, [rare.field], sort))
  const bodies = await read(rare, orderSql(table, sort, isSorted))
  // A page that is not full is the last one: what stands before it is known without counting.
  if (bodies.length < size && (bodies.length > 0 || page === 0)) return { bodies, count: page * size + bodies.length }
  return { bodies, count: await countOf(rare) }
}
