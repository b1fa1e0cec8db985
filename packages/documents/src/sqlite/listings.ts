import { AssayError } from '@assay/service-kit/errors'
import { type Database, textIn } from '@assay/sqlite'
import type { CheckedQuery } from '../checked-query.ts'
import type { CollectionShape, Condition } from '../port.ts'

/** An index of several fields, for a listing. */
export interface Listing {
  fields: readonly string[]
  name(generation: number): string
  /** The statement that makes it. */
  create(table: string, generation: number): string
}

/** The indexes that a collection declares. Throws `internal` for a field that it has not. */
export function listingsOf(name: string, { fields: declared, listings = [] }: CollectionShape): readonly Listing[] {
  return listings.map((fields) => {
    if (fields.length === 0 || fields.some((field) => !Object.hasOwn(declared, field)))
      throw new AssayError('internal', `${name} is to be listed by a field that it has not.`)
    // No name of a field holds a parenthesis, so it is no other index's.
    const nameOf = (generation: number) => `${name}(${fields.join(',')})_${generation}`
    return {
      fields,
      name: nameOf,
      create: (table, generation) =>
        `CREATE INDEX "${nameOf(generation)}" ON ${table} (tenant, ${fields.map((field) => `"f_${field}"`).join(', ')}, id) WHERE removed = 0`,
    }
  })
}

/** An index that is about to be made over what is there: which of how many. */
export interface IndexMade {
  index: string
  at: number
  of: number
}

/**
 * Makes the indexes of listings that the live tables lack and drops those that are declared no more. Each is made by itself:
 * where there is much, and the process ends meanwhile, the next start has less to do. `onIndex` is told of each before.
 */
export function ensureListings(
  database: Database,
  tables: readonly { table: { name: string; listings: readonly Listing[] }; generation: number }[],
  onIndex: (made: IndexMade) => void,
): void {
  const missing = tables.flatMap(({ table: { name, listings }, generation }) => {
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

/** Conditions that an index finds at once, each in its own field. */
export function equalitiesOf(where: readonly Condition[]): readonly Condition[] {
  return where.filter((condition) => 'is' in condition || 'in' in condition)
}

/** Whether an index that begins with just these fields goes on in the order asked for. */
export function isListed(listings: readonly Listing[], head: readonly string[], sort: CheckedQuery['sort']): boolean {
  const sorted = sort.map(({ field }) => field).filter((field) => field !== 'id')
  // Each field's own index goes on with the id.
  if (sorted.length === 0 && head.length <= 1) return true
  return listings.some(
    ({ fields }) =>
      fields.length === head.length + sorted.length &&
      fields.slice(0, head.length).every((field) => head.includes(field)) &&
      sorted.every((field, at) => fields[head.length + at] === field),
  )
}

/**
 * Whether an index gives just the documents that fit by equality, in the order asked for, or the sorted field itself is
 * compared.
 */
export function isInOrder(
  listings: readonly Listing[],
  { where, sort }: Pick<CheckedQuery, 'where' | 'sort'>,
): boolean {
  const compared = [...new Set(equalitiesOf(where).map(({ field }) => field))]
  const first = sort[0]?.field ?? 'id'
  // The values of a list lie apart in an index, so what fits by them is in no order.
  const isOneValue = where.every((condition) => !('in' in condition))
  return compared.length === 0 || compared.includes(first) || (isOneValue && isListed(listings, compared, sort))
}
