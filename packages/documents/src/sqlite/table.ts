import { AssayError } from '@assay/service-kit/errors'
import type { CollectionShape, FieldType } from '../port.ts'

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
  textId: boolean
  textFields: readonly boolean[]
  create(table: string): string
  /** One statement for each index. `generation` keeps the names of a shadow's indexes apart from the live ones. */
  createIndexes(table: string, generation: number): string[]
  upsert(table: string): string
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
  const columns = ['tenant', 'id', 'revision', 'position', 'removed', ...idColumns, ...fieldColumns, 'body']
  const declared = fields.flatMap(([field, { type }]) =>
    columnsOf(field, type === 'text').map((column) => `${column} ${columnType[type]}`),
  )
  if (textId) declared.unshift('"l_id" TEXT')
  const idType = textId ? 'TEXT' : 'INTEGER'
  const name = `doc_${collection.name}`

  return {
    name,
    textId,
    signature: JSON.stringify([idType, fields.map(([field, { type }]) => [field, type])]),
    column: (field) => (field === 'id' ? 'id' : `"f_${field}"`),
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
    ],
    upsert: (table) =>
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT (tenant, id) DO UPDATE SET ${columns
         .slice(2)
         .map((column) => `${column} = excluded.${column}`)
         .join(', ')} WHERE excluded.revision > revision`,
  }
}
