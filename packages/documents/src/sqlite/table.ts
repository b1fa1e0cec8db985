import { AssayError } from '@assay/service-kit/errors'
import type { CollectionShape, Condition, FieldType, SearchFields } from '../port.ts'
import { isComplete, type Listing, listingsOf } from './listings.ts'

/**
 * The SQL of one collection. All names in it are built here from checked names; all values are bound.
 * A removed document keeps its row (`removed` 1, no body), so its revision still guards against older puts. Queries use
 * `removed = 0`: with `body IS NOT NULL`, SQLite would also read the table to count the rows of a partial index.
 * `l_<field>` has the folded text of a text field, if it differs from the text itself.
 */
export interface Table {
  name: string
  /** Changes whenever the columns change. */
  signature: string
  /** The column by which values are compared and sorted. */
  column(field: string): string
  /** The expression in which `contains` searches: folded text. */
  foldedColumn(field: string): string
  isRequired(field: string): boolean
  /** Whether an index has only the field, followed by the id. */
  hasOwnIndex(field: string): boolean
  /** Whether most documents have null in the field, so that its listings omit these. */
  isSparse(field: string): boolean
  /** Whether an index begins with the field of the condition, so that the condition alone reads only its matches. */
  isIndexed(condition: Condition): boolean
  textId: boolean
  textFields: readonly boolean[]
  create(table: string): string
  /** The fields without an index of their own. A table of an earlier declaration may have one. */
  listedOnly: readonly string[]
  /** The name of the index of one field. */
  indexName(field: string, generation: number): string
  /** One statement per index. `generation` makes the names of a shadow's indexes differ from the live ones. */
  createIndexes(table: string, generation: number): string[]
  /** Compound indexes. `createIndexes` creates them as well. A table of an earlier declaration may lack them. */
  listings: readonly Listing[]
  /** Inserts a document unless its id exists. Parameters: tenant, id, revision, position, `values`, body. */
  insert(table: string): string
  /**
   * Reads which of `values` equal the stored ones (as text of 0 and 1), and the revision. Parameters: `values`, tenant,
   * id.
   */
  compare(table: string): string
  /**
   * Updates a document with a lower revision. Parameters: revision, position, those of `values` that have 0 in `same`,
   * body, tenant, id, revision. The statement does not contain the other columns, so that SQLite does not write their
   * indexes.
   */
  update(table: string, same: string): string
  /** Only for collections that are searched. */
  search: SearchTable | undefined
}

/** The tables and columns for searching a collection. Plain data, for the worker. */
export interface SearchTable {
  /**
   * The prefix of the tables of names (`_name`, `_fts`, `_tail`, `_word`, `_typo`) and of the tables of counts
   * (`_count`, `_group`, `_change`).
   */
  prefix: string
  nameIndex: number
  pathColumn: string | undefined
  parentColumn: string | undefined
  scoreColumn: string | undefined
  /** The distinct columns of the included fields, by which documents are grouped for the counts. */
  includedColumns: readonly string[]
}

/** Maximum number of cached statements of a collection. Documents change in few different ways. */
const maxTexts = 100

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
    // Column names in SQLite ignore case.
    lower.size === fields.length &&
    fields.every((field) => /^[A-Za-z][A-Za-z0-9_]*$/.test(field) && field !== 'id')
  if (!fine)
    throw new AssayError('internal', `The collection "${collection.name}" has a malformed name, field or version.`)
}

function searchTableOf(name: string, search: SearchFields, fields: readonly string[]): SearchTable {
  const nameIndex = fields.indexOf(search.name)
  if (nameIndex === -1) throw new AssayError('internal', `The search of ${name} names a field that it does not have.`)
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

/** Caches each text, because building the text of a statement takes longer than writing a document. */
function remembered(textOf: (table: string, same: string) => string): (table: string, same?: string) => string {
  const texts = new Map<string, string>()
  return (table, same = '') => {
    const key = `${table} ${same}`
    const text = texts.get(key) ?? textOf(table, same)
    if (texts.size < maxTexts) texts.set(key, text)
    return text
  }
}

/** The table of a collection. Throws `internal` if one of its names cannot be the name of a table or column. */
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
  const values = ['removed', ...idColumns, ...fieldColumns, ...nameColumns]
  const declared = fields.flatMap(([field, { type }]) =>
    columnsOf(field, type === 'text').map((column) => `${column} ${columnType[type]}`),
  )
  if (textId) declared.unshift('"l_id" TEXT')
  if (search !== undefined) declared.push('s_name INTEGER')
  const idType = textId ? 'TEXT' : 'INTEGER'
  const name = `doc_${collection.name}`
  const listings = listingsOf(name, collection)
  const listedOnly = names.filter((_, index) => fields[index]?.[1].alone === false)
  const indexName = (field: string, generation: number) => `${name}_${field}_${generation}`

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
    hasOwnIndex: (field) => !listedOnly.includes(field),
    isSparse: (field) => collection.fields[field]?.sparse === true,
    isIndexed: (condition) =>
      !listedOnly.includes(condition.field) ||
      listings.some((listing) => listing.fields[0] === condition.field && isComplete(listing, [condition])),
    listings,
    listedOnly,
    indexName,
    foldedColumn: (field) => `coalesce("l_${field}", ${field === 'id' ? 'id' : `"f_${field}"`})`,
    textFields,
    create: (table) =>
      `CREATE TABLE ${table} (tenant TEXT NOT NULL, id ${idType} NOT NULL, revision INTEGER NOT NULL,
       position TEXT NOT NULL, removed INTEGER NOT NULL, ${declared.map((column) => `${column}, `).join('')}body TEXT,
       PRIMARY KEY (tenant, id)) STRICT`,
    createIndexes: (table, generation) => [
      `CREATE INDEX "${name}_id_${generation}" ON ${table} (tenant, id${idColumns.map((column) => `, ${column}`).join('')}) WHERE removed = 0`,
      ...names.flatMap((field, index) => {
        if (listedOnly.includes(field)) return []
        const [column, folded] = columnsOf(field, textFields[index] === true)
        // The index includes the folded text, so `contains` is answered without reading bodies.
        const covered = folded === undefined ? '' : `, ${folded}`
        return [
          `CREATE INDEX "${indexName(field, generation)}" ON ${table} (tenant, ${column}, id${covered}) WHERE removed = 0`,
        ]
      }),
      ...listings.map((listing) => listing.create(table, generation)),
      ...(search === undefined ? [] : searchIndexes(name, table, search, generation)),
    ],
    insert: remembered(
      (table) =>
        `INSERT INTO ${table} (tenant, id, revision, position, ${values.join(', ')}, body)
         VALUES (?, ?, ?, ?, ${values.map(() => '?').join(', ')}, ?) ON CONFLICT (tenant, id) DO NOTHING`,
    ),
    compare: remembered(
      (table) =>
        // The '' makes the result text, even if there is only one column.
        `SELECT revision, '' || ${values.map((column) => `(${column} IS ?)`).join(' || ')} AS same FROM ${table}
         WHERE tenant = ? AND id = ?`,
    ),
    update: remembered((table, same) => {
      const changed = values.filter((_, index) => same[index] === '0').map((column) => `${column} = ?, `)
      return `UPDATE ${table} SET revision = ?, position = ?, ${changed.join('')}body = ?
        WHERE tenant = ? AND id = ? AND revision < ?`
    }),
  }
}
