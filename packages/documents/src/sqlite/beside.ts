import { type Database, numberIn, type Row, textIn } from '@assay/sqlite'
import { checkedBeside } from '../beside.ts'
import { checkedId } from '../checked-query.ts'
import type { Beside, CollectionShape, DocumentId, TextBeside } from '../port.ts'
import type { Tables } from './tables.ts'

function textOrNothing(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textIn(row, column)
}

/** Reads documents with those that they name by one statement: to begin and end a reading costs most of a look by key. */
export function createBesideReading(database: Database, tables: Pick<Tables, 'of'>) {
  // Keyed by the request object: callers pass a constant.
  const statements = new WeakMap<readonly Beside[], Map<string, string>>()

  function statementOf(collection: CollectionShape, beside: readonly Beside[]): string {
    const table = tables.of(collection.name)
    const joined = beside.map((each, index) => {
      checkedBeside(collection, each)
      const name = `b${index}`
      const on = `${name}.tenant = d.tenant AND ${name}.id = d.${table.column(each.by)} AND ${name}.removed = 0`
      return {
        column: `${name}.body AS ${name}`,
        join: `LEFT JOIN ${tables.of(each.collection.name).name} ${name} ON ${on}`,
      }
    })
    return `SELECT ${['d.revision', 'd.position', 'd.body', ...joined.map(({ column }) => column)].join(', ')}
      FROM ${table.name} d ${joined.map(({ join }) => join).join(' ')}
      WHERE d.tenant = ? AND d.id = ? AND d.removed = 0`
  }

  function statement(collection: CollectionShape, beside: readonly Beside[]): string {
    const known = statements.get(beside) ?? new Map<string, string>()
    statements.set(beside, known)
    const sql = known.get(collection.name) ?? statementOf(collection, beside)
    known.set(collection.name, sql)
    return sql
  }

  return (
    collection: CollectionShape,
    tenant: string,
    id: DocumentId,
    beside: readonly Beside[],
  ): TextBeside | undefined => {
    const row = database.prepare(statement(collection, beside)).get(tenant, checkedId(collection, id))
    if (row === undefined) return undefined
    return {
      text: textIn(row, 'body'),
      source: { revision: numberIn(row, 'revision'), position: textIn(row, 'position') },
      beside: beside.map((_, index) => textOrNothing(row, `b${index}`)),
    }
  }
}
