import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { ComparedTable } from '../compare.ts'
import type { BucketNumbers, BySide, SideName, SideRequest, SourceSide, TextRow } from '../compared-source.ts'
import { storedAs } from '../planner/stored-as.ts'
import type { MeasureCall } from '../port.ts'
import { type ComparedForm, rowForm } from '../sql/compared-form.ts'
import { fromRows, type Rows } from '../sql/compile.ts'
import { type Fragment, raw, sql } from '../sql/fragment.ts'
import { columnFinder } from '../sql/predicate/column.ts'
import { compiled } from './compiled.ts'
import { type Compiling, sentenceFor } from './compiling.ts'
import type { Connection, Session } from './connection.ts'
import { openDataset } from './dataset.ts'
import { openWindow } from './window.ts'

const rowsAtOnce = 1000
const usualTimeoutMs = 3_600_000
const sideNames = ['left', 'right'] as const

/** The statement for a request. */
function sideStatement(session: Session, form: ComparedForm, rows: Rows, request: SideRequest): Fragment {
  const columnOf = columnFinder(session.columns, session.dialect)
  const hashed = request.columns.map((rule) => {
    const column = columnOf(rule.name)
    const text = form.text(column, rule)
    // Prefixed with the side, so that no value of such a column equals a value of the other side.
    const own = rule.as.kind === 'never' ? form.concat([`'${request.side}:'`, text]) : text
    return { column, as: rule.as, isKey: rule.isKey, text: own }
  })
  const keys = hashed.some(({ isKey }) => isKey) ? hashed.filter(({ isKey }) => isKey) : hashed
  const keyForm = rowForm(form, keys)
  const isAmong = ({ bits, numbers }: BucketNumbers) =>
    numbers.length === 0 ? '1 = 0' : `${form.bucket(keyForm, bits)} IN (${numbers.join(', ')})`
  const distinct = [...new Map(hashed.map(({ column }) => [column.name, column])).values()]
  const within = request.within && raw(isAmong(request.within))
  switch (request.kind) {
    case 'buckets': {
      const hasKey = hashed.some(({ isKey }) => isKey)
      const nulls = hasKey
        ? `sum(CASE WHEN ${keys.map(({ column }) => `${column.sql} IS NULL`).join(' OR ')} THEN 1 ELSE 0 END)`
        : '0'
      return sql`SELECT ${form.bucket(keyForm, request.bits)} AS b, count(*) AS n, sum(${form.hash(rowForm(form, hashed))}) AS s, ${nulls} AS z${fromRows(rows, within)} GROUP BY 1`
    }
    case 'rows':
      return sql`SELECT ${distinct.map((column, index) => `${form.exported(column)} AS c${index}`).join(', ')}${fromRows(rows, within)}`
    case 'values': {
      const [first] = distinct
      if (first === undefined) throw new AssayError('internal', 'No column is named.')
      const isValue = raw(`${first.sql} IS NOT NULL`)
      return sql`SELECT ${form.exported(first)} AS v, count(*) AS n${fromRows(rows, isValue)} GROUP BY 1`
    }
    case 'count':
      return sql`SELECT count(*)${fromRows(rows)}`
    case 'repeated': {
      const others = request.within && raw(`NOT (${isAmong(request.within)})`)
      return sql`SELECT count(*) FROM (SELECT 1 AS one${fromRows(rows, others)} GROUP BY ${keys.map(({ text }) => text).join(', ')} HAVING count(*) > 1) AS repeated`
    }
    default:
      return request.kind satisfies never
  }
}

/** One after the other, because a session runs one statement at a time. */
function createTurns(): <T>(work: () => AsyncIterable<T>) => AsyncIterable<T> {
  let last: Promise<void> = Promise.resolve()
  return async function* inTurn(work) {
    const before = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    await before
    try {
      yield* work()
    } finally {
      resolve()
    }
  }
}

/** Names the side in an error. */
function ofSide(side: string, name: string, error: unknown): unknown {
  if (isAssayError(error, 'timeout') || isAssayError(error, 'too-large')) return error
  const [code, sentence] = isAssayError(error)
    ? ([error.code, error.message] as const)
    : (['unprocessable', `${name} Error: ${messageOf(error)}`] as const)
  return new AssayError(code, `The ${side} table: ${sentence}`, { cause: error })
}

/** A sample: the rows with the lowest hashes. */
function sampled(
  rows: Rows,
  { columns, dialect }: Session,
  form: ComparedForm,
  maxRows: number | undefined,
): { rows: Rows; bindings: Fragment['bindings'] } {
  if (maxRows === undefined) return { rows, bindings: {} }
  const columnOf = columnFinder(columns, dialect)
  const values = columns.map(({ name }) => ({ text: form.exported(columnOf(name)), as: { kind: 'text' } as const }))
  const order = form.hash(rowForm(form, values))
  const chosen = sql`SELECT *${fromRows(rows)} ORDER BY ${order} LIMIT ${maxRows}`
  return { rows: { relation: `(${chosen.text})`, filter: null }, bindings: chosen.bindings }
}

/** Opens one side of a comparison, in an open session. */
async function openSide(
  given: Compiling,
  connection: Connection,
  table: ComparedTable & { maxRows?: number | undefined },
  inTurn: ReturnType<typeof createTurns>,
): Promise<SourceSide> {
  const { database } = given
  const session = await openDataset(given, connection, table.dataset)
  const { compared: form } = session.dialect
  const { stream } = connection
  if (form === undefined || stream === undefined)
    throw new AssayError('unprocessable', `Tables of ${database.name} cannot be compared yet.`)
  const { rows: all, filterError } = await compiled(given, session, { filter: table.filter, metrics: [] })
  if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
  const { condition, reached } = await openWindow(database, session, table.window)
  const both = condition && all.filter ? sql`${condition} AND ${all.filter}` : (condition ?? all.filter)
  const { rows, bindings } = sampled({ ...all, filter: both }, session, form, table.maxRows)
  return {
    reached,
    columns: session.columns.map(({ name, dataType }) => {
      const type = session.dialect.parseType(dataType)
      return { name, ...storedAs(type, form.isWide({ dataType, type })) }
    }),
    read: (request) =>
      inTurn(async function* () {
        const asked = sideStatement(session, form, rows, request)
        const statement = { ...asked, bindings: { ...asked.bindings, ...bindings } }
        try {
          for await (const part of stream(statement, rowsAtOnce))
            yield part.map((cells): TextRow => cells.map(({ text }) => text))
        } catch (error) {
          if (isAssayError(error)) throw error
          throw new AssayError('unprocessable', sentenceFor(database)(error), { cause: error })
        }
      }),
  }
}

/** Opens tables of a database in one session on one snapshot, until `work` ends. */
export async function withSides<T>(
  given: Compiling,
  tables: BySide<ComparedTable>,
  { signal, limits, statements }: MeasureCall,
  work: (sides: BySide<SourceSide>) => Promise<T>,
): Promise<T> {
  const { database } = given
  const names = sideNames.filter((name) => tables[name] !== undefined)
  const about = names.length === 1 ? (names[0] ?? 'left') : 'left'
  const connection = await database
    .connect(limits?.timeoutMs ?? usualTimeoutMs, signal, statements)
    .catch((error: unknown) => {
      throw ofSide(about, database.name, error)
    })
  try {
    const inTurn = createTurns()
    const sides: { [side in SideName]?: SourceSide } = {}
    for (const name of names) {
      const table = tables[name]
      if (table === undefined) continue
      sides[name] = await openSide(given, connection, table, inTurn).catch((error: unknown) => {
        throw ofSide(name, database.name, error)
      })
    }
    return await work(sides)
  } finally {
    await connection.close()
  }
}

/** Opens one table of a database in one session on one snapshot, until `work` ends. */
export async function withTable<T>(
  given: Compiling,
  table: ComparedTable & { maxRows?: number | undefined },
  { signal, limits, statements }: MeasureCall,
  work: (side: SourceSide) => Promise<T>,
): Promise<T> {
  const connection = await given.database.connect(limits?.timeoutMs ?? usualTimeoutMs, signal, statements)
  try {
    return await work(await openSide(given, connection, table, createTurns()))
  } finally {
    await connection.close()
  }
}
