import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { Metric, MetricResult } from '../plan.ts'
import type { DataEngine, EngineCall } from '../port.ts'
import { fromRows, type Rows } from '../sql/compile.ts'
import { type Fragment, join, sql } from '../sql/fragment.ts'
import { quoteName } from '../sql/quote.ts'
import { tokenize } from '../sql/tokens.ts'
import type { Session } from './connection.ts'
import type { Database } from './database.ts'
import type { NamedSession } from './related.ts'

/** Shows what users' SQL reads. */
export type Parse = (texts: Parameters<DataEngine['touches']>[0]) => ReturnType<DataEngine['touches']>

/** The parser of an engine, with the tenant, key and purpose of a call: a run waits for a free slot, and a request does not. */
export function parseIn(
  touches: DataEngine['touches'] | undefined,
  { tenant, key, signal, purpose }: EngineCall,
): Parse {
  const own = { ...(tenant === undefined ? {} : { tenant }), ...(key === undefined ? {} : { key }), signal }
  return async (texts) => {
    if (touches !== undefined) return touches(texts, { ...own, purpose: purpose ?? 'job' })
    throw new AssayError('not-implemented', "No parser for users' SELECTs is set up.")
  }
}

type Select = Extract<Metric, { kind: 'select' }>
type Plain = { metric: Metric; problem?: string }

/** The SELECTs of metrics in the form that all parsers read. Each gets a problem if it may read other tables. */
export async function plainSelects(
  { plainSelect }: Pick<Database, 'plainSelect'>,
  parse: Parse,
  metrics: readonly Metric[],
): Promise<{ metrics: Metric[]; problems: Map<number, string> }> {
  const plain = metrics.map((metric): Plain => {
    if (metric.kind !== 'select') return { metric }
    try {
      return { metric: { ...metric, select: plainSelect(metric.select) } }
    } catch (error) {
      if (!isAssayError(error, 'invalid')) throw error
      return { metric, problem: messageOf(error) }
    }
  })
  const problems = new Map(
    plain.flatMap(({ metric, problem }) => (problem === undefined ? [] : [[metric.id, problem]])),
  )
  const selects = plain.flatMap(({ metric, problem }): Select[] =>
    metric.kind === 'select' && problem === undefined ? [metric] : [],
  )
  const namesOf = ({ tables = [] }: Select) => ['asset', ...tables.map(({ name }) => name)]
  const parsed =
    selects.length === 0
      ? []
      : await parse(selects.map((one) => ({ text: one.select, form: 'select', foreign: { tables: namesOf(one) } })))
  for (const [index, { id }] of selects.entries()) {
    const found = parsed[index]
    if (found === undefined || 'problem' in found) problems.set(id, found?.problem ?? 'The SELECT cannot be parsed.')
  }
  return { metrics: plain.map(({ metric }) => metric), problems }
}

/**
 * The queries that a SELECT defines by WITH, and the rest of it. MariaDB does not find the tables of an outer WITH within
 * a WITH in brackets, so there must be only one.
 */
function definitionsIn({ text }: Fragment): { recursive: boolean; queries: string; rest: string } | null {
  const tokens = tokenize(text)
  const solid = tokens.flatMap((token, index) =>
    token.kind === 'blank' ? [] : [{ word: token.text.toLowerCase(), index }],
  )
  if (solid[0]?.word !== 'with') return null
  const recursive = solid[1]?.word === 'recursive'
  let depth = 0
  const body = solid.find(({ word }) => {
    if (word === '(') depth += 1
    if (word === ')') depth -= 1
    return depth === 0 && word === 'select'
  })
  if (body === undefined) return null
  const textOf = (from: number, to?: number) =>
    tokens
      .slice(from, to)
      .map((token) => token.text)
      .join('')
  const start = (solid[recursive ? 1 : 0]?.index ?? 0) + 1
  return { recursive, queries: textOf(start, body.index), rest: textOf(body.index) }
}

/** The statement of a SELECT over named tables. `rows`: the plan's rows, for which `asset` stands. */
export function selectOver(
  database: Pick<Database, 'allColumns'>,
  { session, rows, tables }: { session?: Session; rows?: Rows; tables: readonly NamedSession[] },
  select: Fragment,
): Fragment {
  const named = [
    ...(session && rows ? [sql`asset AS (SELECT ${database.allColumns(session)}${fromRows(rows)})`] : []),
    ...tables.map(
      ({ name, session: table }) =>
        sql`${quoteName(name)} AS (SELECT ${database.allColumns(table)} FROM ${table.relation} AS asset)`,
    ),
  ]
  const own = definitionsIn(select)
  if (own === null) return sql`WITH ${join(named, ', ')} SELECT * FROM (\n${select}\n) AS answer`
  const { recursive, queries, rest } = own
  const all = sql`WITH ${recursive ? 'RECURSIVE ' : ''}${join(named, ', ')}, ${queries}`
  return { ...sql`${all} SELECT * FROM (\n${rest}\n) AS answer`, bindings: { ...all.bindings, ...select.bindings } }
}

/** Rejects with `invalid` if a SELECT does not return one number. Reads no rows. */
export async function requireNumber({ connection }: Session, statement: Fragment): Promise<void> {
  const type = await connection.typeOf(statement).catch((error: unknown) => {
    // The table of the plan was readable before.
    if (!isAssayError(error, 'unprocessable')) throw error
    throw new AssayError('invalid', 'The database finds no table that the SELECT names here, or cannot read it.')
  })
  if (type.columns !== 1)
    throw new AssayError('invalid', `The SELECT must return one number, but returns ${type.columns} columns.`)
  if (!type.isNumber)
    throw new AssayError('invalid', `The SELECT must return a number, but returns ${await type.name()}.`)
}

/** The result of a SELECT. Rejects if it does not return one row. */
export async function selectResult(
  { exactText }: Pick<Database, 'exactText'>,
  { connection }: Session,
  { id, statement, scanned }: { id: number; statement: Fragment; scanned: number },
): Promise<MetricResult> {
  const [first, second] = await connection.read(sql`${statement} LIMIT 2`)
  if (first === undefined || second !== undefined)
    throw new AssayError(
      'invalid',
      `The SELECT must return one row, but returns ${first === undefined ? 'none' : 'more'}.`,
    )
  const [cell] = first
  return { id, kind: 'value', value: cell === undefined ? null : exactText(cell, null), scanned }
}
