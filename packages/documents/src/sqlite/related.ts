import { type Database, numberIn, type Row, textIn } from '@assay/sqlite'
import { checkedId } from '../checked-query.ts'
import type { CollectionShape, DocumentId, JsonWithRelated, Related } from '../port.ts'
import { checkedRelated } from '../related.ts'
import type { Tables } from './tables.ts'

function textOrNothing(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textIn(row, column)
}

/** Reads documents with those that they name by one statement: to begin and end a reading costs most of a look by key. */
export function createRelatedReading(database: Database, tables: Pick<Tables, 'of'>) {
  // Keyed by the request object: callers pass a constant.
  const statements = new WeakMap<readonly Related[], Map<string, string>>()

  function statementOf(collection: CollectionShape, related: readonly Related[]): string {
    const table = tables.of(collection.name)
    const joined = related.map((each, index) => {
      checkedRelated(collection, each)
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

  function statement(collection: CollectionShape, related: readonly Related[]): string {
    const known = statements.get(related) ?? new Map<string, string>()
    statements.set(related, known)
    const sql = known.get(collection.name) ?? statementOf(collection, related)
    known.set(collection.name, sql)
    return sql
  }

  return (
    collection: CollectionShape,
    tenant: string,
    id: DocumentId,
    related: readonly Related[],
  ): JsonWithRelated | undefined => {
    const row = database.prepare(statement(collection, related)).get(tenant, checkedId(collection, id))
    if (row === undefined) return undefined
    return {
      text: textIn(row, 'body'),
      source: { revision: numberIn(row, 'revision'), position: textIn(row, 'position') },
      related: related.map((_, index) => textOrNothing(row, `b${index}`)),
    }
  }
}
