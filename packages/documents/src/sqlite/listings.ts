import { AssayError } from '@assay/service-kit/errors'
import { type Database, textIn } from '@assay/sqlite'
import type { CheckedQuery } from '../checked-query.ts'
import type { CollectionShape, Condition } from '../port.ts'
import type { Table } from './table.ts'

/** A compound index for a listing. */
export interface Listing {
  fields: readonly string[]
  /** Documents in which one of these fields is null are not in the index. */
  sparse: readonly string[]
  name(generation: number): string
  /** The statement that creates the index. */
  create(table: string, generation: number): string
}

/** The indexes of the listings that a collection declares. Throws `internal` for an unknown field. */
export function listingsOf(name: string, { fields: declared, listings = [] }: CollectionShape): readonly Listing[] {
  return listings.map((fields) => {
    if (fields.length === 0 || fields.some((field) => !Object.hasOwn(declared, field)))
      throw new AssayError('internal', `A listing of ${name} names a field that it does not have.`)
    const isSparse = (field: string) => declared[field]?.sparse === true
    const named = fields.map((field) => (isSparse(field) ? `${field}?` : field))
    // Names of fields contain no parentheses, so no other index can have this name.
    const nameOf = (generation: number) => `${name}(${named.join(',')})_${generation}`
    const where = ['removed = 0', ...fields.filter(isSparse).map((field) => `"f_${field}" IS NOT NULL`)].join(' AND ')
    return {
      fields,
      sparse: fields.filter(isSparse),
      name: nameOf,
      create: (table, generation) =>
        `CREATE INDEX "${nameOf(generation)}" ON ${table} (tenant, ${fields.map((field) => `"f_${field}"`).join(', ')}, id) WHERE ${where}`,
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

/** Whether documents in which the field is null can match. */
function matchesNull(condition: Condition): boolean {
  if ('is' in condition) return condition.is === null
  if ('in' in condition) return condition.in.includes(null)
  return 'not' in condition && condition.not !== null
}

/** Whether the index has all documents that match the conditions. */
export function isComplete({ sparse }: Pick<Listing, 'sparse'>, where: readonly Condition[]): boolean {
  return sparse.every((field) => where.some((condition) => condition.field === field && !matchesNull(condition)))
}

/** Whether an index begins with exactly the compared fields and continues in the requested order. */
export function isListed(
  { listings, hasOwnIndex }: Pick<Table, 'listings' | 'hasOwnIndex'>,
  compared: readonly Condition[],
  sort: CheckedQuery['sort'],
): boolean {
  const head = [...new Set(compared.map(({ field }) => field))]
  const sorted = sort.map(({ field }) => field).filter((field) => field !== 'id')
  // The index of a single field continues with the id.
  if (sorted.length === 0 && head.length <= 1 && head.every(hasOwnIndex)) return true
  return listings.some(
    (listing) =>
      listing.fields.length === head.length + sorted.length &&
      listing.fields.slice(0, head.length).every((field) => head.includes(field)) &&
      sorted.every((field, at) => listing.fields[head.length + at] === field) &&
      isComplete(listing, compared),
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
  const equalities = equalitiesOf(where)
  const compared = new Set(equalities.map(({ field }) => field))
  const first = sort[0]?.field ?? 'id'
  // For a list of values, the index returns the matches of one value after the other. So they are not in the order of
  // later fields.
  const isOneValue = where.every((condition) => !('in' in condition))
  const isByOwnIndex = table.hasOwnIndex(first) && (compared.size === 0 || compared.has(first))
  return isByOwnIndex || (isOneValue && isListed(table, equalities, sort))
}
