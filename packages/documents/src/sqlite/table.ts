import { AssayError } from '@assay/service-kit/errors'
import type { CollectionShape, FieldType, SearchFields } from '../port.ts'
import { type Listing, listingsOf } from './listings.ts'

/**
 * The SQL of one collection. Every name in it is made here from checked names; every value is bound.
 * A removed document keeps its row (`removed` 1, no body), so that its revision goes on guarding. `removed = 0` and not
 * `body IS NOT NULL` is asked for, because SQLite answers counts from a partial index alone only for an equality.
 * `l_<field>` holds the folded text of a text field where that differs from the text itself.
 */
export interface Table {
  name: string
  /** Changes whenever the columns would. */
  signature: string
  /** The column to compare and sort by. */
  column(field: string): string
  /** The expression that `contains` searches in; its text is folded. */
  foldedColumn(field: string): string
  isRequired(field: string): boolean
  textId: boolean
  textFields: readonly boolean[]
  create(table: string): string
  /** One statement for each index. `generation` keeps the names of a shadow's indexes apart from the live ones. */
  createIndexes(table: string, generation: number): string[]
  /** Indexes of several fields, which `createIndexes` makes as well: a table of an earlier declaration may lack them. */
  listings: readonly Listing[]
  upsert(table: string): string
  /** Of collections that are searched. */
  search: SearchTable | undefined
}

/** Where and by which columns a collection is searched. Plain data, as a worker gets it. */
export interface SearchTable {
  /** The tables of names (`<prefix>_name`, `_fts`, `_tail`, `_word`, `_typo`) and of kept counts (`_count`, `_group`, `_change`). */
  prefix: string
  nameIndex: number
  pathColumn: string | undefined
  parentColumn: string | undefined
  scoreColumn: string | undefined
  /** Columns of the fields kept beside the name, each once: those of the groups that are counted. */
  includedColumns: readonly string[]
}

const columnType: { readonly [type in FieldType]: string } = {
  text: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  boolean: 'INTEGER',
}

function checkNames(collection: CollectionShape, fields: readonly string[]): void {
  const lower = new Set(fields.map((field) => field.toLowerCase()))
  const fine =
    /^[a-z_]+$/.test(collection.name) &&
    Number.isSafeInteger(collection.version) &&
    // SQLite's column names ignore case.
    lower.size === fields.length &&
    fields.every((field) => /^[A-Za-z][A-Za-z0-9_]*$/.test(field) && field !== 'id')
  if (!fine)
    throw new AssayError(
      'internal',
      `The collection "${collection.name}" has a name, field or version of a wrong form.`,
    )
}

function searchTableOf(name: string, search: SearchFields, fields: readonly string[]): SearchTable {
  const nameIndex = fields.indexOf(search.name)
  if (nameIndex === -1) throw new AssayError('internal', `${name} is to be searched by a field that it has not.`)
  const column = (field: string | undefined) => (field === undefined ? undefined : `"f_${field}"`)
  return {
    prefix: `s_${name}`,
    nameIndex,
    pathColumn: column(search.path),
    parentColumn: column(search.parent),
    scoreColumn: column(search.score),
    includedColumns: [...new Set(search.included ?? [])].map((field) => `"f_${field}"`),
  }
}

function searchIndexes(name: string, table: string, search: SearchFields, generation: number): string[] {
  const score = search.score === undefined ? [] : [search.score]
  const included = [...new Set([...score, ...(search.included ?? [])])].map((field) => `, "f_${field}"`).join('')
  const scored = `CREATE INDEX "${name}_scored_${generation}" ON ${table} (s_name) WHERE removed = 0 AND "f_${search.score}" <> 0`
  return [
    `CREATE INDEX "${name}_search_${generation}" ON ${table} (s_name, id${included}) WHERE removed = 0`,
    ...(search.score === undefined ? [] : [scored]),
  ]
}

/** The table of a collection. Throws `internal` when one of its names cannot be a table's or column's. */
export function tableOf(collection: CollectionShape): Table {
  const fields = Object.entries(collection.fields)
  const names = fields.map(([field]) => field)
  checkNames(collection, names)
  const textFields = fields.map(([, field]) => field.type === 'text')
  const columnsOf = (field: string, isText: boolean) => (isText ? [`"f_${field}"`, `"l_${field}"`] : [`"f_${field}"`])
  const textId = collection.idType === 'text'
  const fieldColumns = names.flatMap((field, index) => columnsOf(field, textFields[index] === true))
  const idColumns = textId ? ['"l_id"'] : []
  const { search } = collection
  const nameColumns = search === undefined ? [] : ['s_name']
  const columns = [
    'tenant',
    'id',
    'revision',
    'position',
    'removed',
    ...idColumns,
    ...fieldColumns,
    ...nameColumns,
    'body',
  ]
  const declared = fields.flatMap(([field, { type }]) =>
    columnsOf(field, type === 'text').map((column) => `${column} ${columnType[type]}`),
  )
  if (textId) declared.unshift('"l_id" TEXT')
  if (search !== undefined) declared.push('s_name INTEGER')
  const idType = textId ? 'TEXT' : 'INTEGER'
  const name = `doc_${collection.name}`
  const listings = listingsOf(name, collection)

  return {
    name,
    textId,
    signature: JSON.stringify([
      idType,
      fields.map(([field, { type }]) => [field, type]),
      ...(search === undefined ? [] : [search]),
    ]),
    search: search && searchTableOf(name, search, names),
    column: (field) => (field === 'id' ? 'id' : `"f_${field}"`),
    isRequired: (field) => field === 'id' || collection.fields[field]?.required === true,
    listings,
    foldedColumn: (field) => `coalesce("l_${field}", ${field === 'id' ? 'id' : `"f_${field}"`})`,
    textFields,
    create: (table) =>
      `CREATE TABLE ${table} (tenant TEXT NOT NULL, id ${idType} NOT NULL, revision INTEGER NOT NULL,
       position TEXT NOT NULL, removed INTEGER NOT NULL, ${declared.map((column) => `${column}, `).join('')}body TEXT,
       PRIMARY KEY (tenant, id)) STRICT`,
    createIndexes: (table, generation) => [
      `CREATE INDEX "${name}_id_${generation}" ON ${table} (tenant, id${idColumns.map((column) => `, ${column}`).join('')}) WHERE removed = 0`,
      ...names.map((field, index) => {
        const [column, folded] = columnsOf(field, textFields[index] === true)
        // The folded text stands at the end, so that `contains` is answered from the index without touching bodies.
        const covered = folded === undefined ? '' : `, ${folded}`
        return `CREATE INDEX "${name}_${field}_${generation}" ON ${table} (tenant, ${column}, id${covered}) WHERE removed = 0`
      }),
      ...listings.map((listing) => listing.create(table, generation)),
      ...(search === undefined ? [] : searchIndexes(name, table, search, generation)),
    ],
    upsert: (table) =>
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT (tenant, id) DO UPDATE SET ${columns
         .slice(2)
         .map((column) => `${column} = excluded.${column}`)
         .join(', ')} WHERE excluded.revision > revision`,
  }
}
