import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { DatasetLocator, QueryLocator } from '../dataset.ts'
import { isOfSameSource, type RelationLocator, readLocator, relationsIn } from '../locators.ts'
import type { SqlText } from '../plan.ts'
import { raw } from '../sql/fragment.ts'
import { createInlining } from '../sql/inlined.ts'
import { quotedNames } from '../sql/tokens.ts'
import { type Compiling, sentenceFor } from './compiling.ts'
import type { Connection, Session } from './connection.ts'
import type { NamedSession } from './related.ts'
import { selectOver } from './selects.ts'

type Relations = readonly [RelationLocator, ...RelationLocator[]]

/** The tables that a dataset reads. Throws `unprocessable` unless all of them are in one database. */
export function relationsOf({ name }: { name: string }, dataset: DatasetLocator): Relations {
  const [first, ...others] = relationsIn(dataset)
  const count = dataset.kind === 'query' ? dataset.tables.length : 1
  if (first !== undefined && others.length + 1 === count && others.every((other) => isOfSameSource(first, other)))
    return [first, ...others]
  if (dataset.kind !== 'query') readLocator(dataset)
  throw new AssayError('unprocessable', `A query over tables of ${name} can read tables of one source only.`)
}

/** Names of tables for messages: `shop.orders or shop.people`. */
export function tablesText(tables: Relations): string {
  const named = [...new Set(tables.map(({ schema, table }) => `${schema}.${table}`))]
  const [last = '', before = ''] = [named.at(-1), named.slice(0, -1).join(', ')]
  return before === '' ? last : `${before} or ${last}`
}

/** Throws `invalid` for a name of a table that databases fold to another spelling. */
function requireSameSpelling(names: readonly string[], sql: string): void {
  const quoted = new Set(quotedNames(sql))
  const folded = names.find((name) => name !== name.toLowerCase() && !quoted.has(name))
  if (folded !== undefined) throw new AssayError('invalid', `Write the table name "${folded}" in double quotes.`)
}

/** The SELECT of a query, as a part of a statement. Throws `invalid` if it may not run, or reads other tables. */
async function checkedSelect({ database, clock, parse }: Compiling, written: SqlText, names: readonly string[]) {
  const plain = database.plainSelect(written)
  const [parsed] = await parse([{ text: plain, form: 'select', foreign: { tables: names } }])
  if (parsed === undefined || 'problem' in parsed)
    throw new AssayError('invalid', parsed?.problem ?? 'The SELECT cannot be parsed.')
  requireSameSpelling(parsed.tables, plain.sql)
  const { parameters, inlined } = createInlining(new Date(clock.now()).toISOString())
  return raw(inlined(database.writtenSelect(plain, parameters)))
}

async function openQuery(given: Compiling, connection: Connection, query: QueryLocator): Promise<Session> {
  const { database } = given
  const relations = relationsOf(database, query)
  const written = { sql: query.sql, variables: query.variables ?? {} }
  const names = query.tables.map(({ name }) => name)
  const select = await checkedSelect(given, written, names)
  const tables: NamedSession[] = []
  for (const [index, table] of relations.entries())
    tables.push({ name: names[index] ?? '', session: await database.openTable(connection, table) })
  try {
    const allColumns = database.typedColumns ?? database.allColumns
    const opened = await database.openSelect(connection, selectOver({ allColumns }, { tables }, select).text)
    const all = opened.columns.map(({ name }) => name)
    const twice = all.find((name, index) => all.indexOf(name) !== index)
    if (twice !== undefined)
      throw new AssayError('invalid', `The SELECT returns the column "${twice}" twice. Give each column its own name.`)
    return { connection, locator: relations[0], required: new Set(), ...opened }
  } catch (error) {
    if (isAssayError(error)) throw error
    const about = { texts: [written], columns: tables.flatMap(({ session }) => session.columns) }
    throw new AssayError('invalid', sentenceFor(database, about)(error), { cause: error })
  }
}

/**
 * The rows of a table, or of a query over tables of one source, in an open session. A query becomes a part of FROM, so
 * that each statement reads it in one pass. Throws `unprocessable` if a table cannot be read, `invalid` if the database
 * cannot prepare the SELECT, or if it may read or call anything else.
 */
export async function openDataset(given: Compiling, connection: Connection, dataset: DatasetLocator): Promise<Session> {
  if (dataset.kind === 'query') return openQuery(given, connection, dataset)
  const [table] = relationsOf(given.database, dataset)
  return given.database.openTable(connection, table)
}
