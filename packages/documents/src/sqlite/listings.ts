import { AssayError } from '@assay/service-kit/errors'
import { type Database, textIn } from '@assay/sqlite'
import type { CheckedQuery } from '../checked-query.ts'
import type { CollectionShape, Condition } from '../port.ts'
import type { Table } from './table.ts'

/** A compound index for a listing. */
export interface Listing {
  fields: readonly string[]
  name(generation: number): string
  /** The statement that creates the index. */
  create(table: string, generation: number): string
}

/** The indexes of the listings that a collection declares. Throws `internal` for an unknown field. */
export function listingsOf(name: string, { fields: declared, listings = [] }: CollectionShape): readonly Listing[] {
  return listings.map((fields) => {
    if (fields.length === 0 || fields.some((field) => !Object.hasOwn(declared, field)))
      throw new AssayError('internal', `A listing of ${name} names a field that it does not have.`)
    // Names of fields contain no parentheses, so no other index can have this name.
    const nameOf = (generation: number) => `${name}(${fields.join(',')})_${generation}`
    return {
      fields,
      name: nameOf,
      create: (table, generation) =>
        `CREATE INDEX "${nameOf(generation)}" ON ${table} (tenant, ${fields.map((field) => `"f_${field}"`).join(', ')}, id) WHERE removed = 0`,
    }
  })
}

/** Called when an index is about to be created on existing documents: number `at` of `of` indexes. */
export interface IndexMade {
  index: string
  at: number
  of: number
}

/**
 * Creates indexes of listings that the live tables lack, and drops indexes that are no longer declared. Each index is
 * created in its own transaction, so if the process ends meanwhile, the next start has less to do. `onIndex` is called
 * before each.
 */
export function ensureListings(
  database: Database,
  tables: readonly {
    table: Pick<Table, 'name' | 'listings' | 'listedOnly' | 'indexName'>
    generation: number
  }[],
  onIndex: (made: IndexMade) => void,
): void {
  const missing = tables.flatMap(({ table: { name, listings, listedOnly, indexName }, generation }) => {
    for (const field of listedOnly) database.exec(`DROP INDEX IF EXISTS "${indexName(field, generation)}"`)
    const there = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND instr(name, '(') > 0")
      .all(name)
      .map((row) => textIn(row, 'name'))
    const wanted = new Map(listings.map((listing) => [listing.name(generation), listing]))
    for (const other of there) if (!wanted.has(other)) database.exec(`DROP INDEX "${other}"`)
    return [...wanted].flatMap(([index, listing]) =>
      there.includes(index) ? [] : [{ index, sql: listing.create(name, generation) }],
    )
  })
  for (const [at, { index, sql }] of missing.entries()) {
    onIndex({ index, at: at + 1, of: missing.length })
    database.exec(sql)
  }
}

/** Conditions that an index answers by equality. */
export function equalitiesOf(where: readonly Condition[]): readonly Condition[] {
  return where.filter((condition) => 'is' in condition || 'in' in condition)
}

/** Whether an index begins with exactly these fields and continues in the requested order. */
export function isListed(
  { listings, hasOwnIndex }: Pick<Table, 'listings' | 'hasOwnIndex'>,
  head: readonly string[],
  sort: CheckedQuery['sort'],
): boolean {
  const sorted = sort.map(({ field }) => field).filter((field) => field !== 'id')
  // The index of a single field continues with the id.
  if (sorted.length === 0 && head.length <= 1 && head.every(hasOwnIndex)) return true
  return listings.some(
    ({ fields }) =>
      fields.length === head.length + sorted.length &&
      fields.slice(0, head.length).every((field) => head.includes(field)) &&
      sorted.every((field, at) => fields[head.length + at] === field),
  )
}

/**
 * Whether SQLite can read the matches of the equalities from an index in the requested order. Also true if the sort
 * field has its own index, and either no field is compared or the sort field is one of the compared fields.
 */
export function isInOrder(
  table: Pick<Table, 'listings' | 'hasOwnIndex'>,
  { where, sort }: Pick<CheckedQuery, 'where' | 'sort'>,
): boolean {
  const compared = [...new Set(equalitiesOf(where).map(({ field }) => field))]
  const first = sort[0]?.field ?? 'id'
  // For a list of values, the index returns the matches of one value after the other. So they are not in the order of
  // later fields.
  const isOneValue = where.every((condition) => !('in' in condition))
  const isByOwnIndex = table.hasOwnIndex(first) && (compared.length === 0 || compared.includes(first))
  return isByOwnIndex || (isOneValue && isListed(table, compared, sort))
}
