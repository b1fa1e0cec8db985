import type { Target } from '../databases/reach.ts'
import type { TrinoSource } from '../dataset.ts'
import type { Cell, Connection } from '../push-down/connection.ts'
import type { Fragment } from '../sql/fragment.ts'
import { textLiteral } from '../sql/quote.ts'
import type { StartedStatements } from '../started-statements.ts'
import { createTrinoClient } from './client.ts'
import { requestFailure, tooLong } from './failures.ts'
import { type Pace, startedAt, usualPace } from './started.ts'
import { type ResultPart, resultOf } from './statement.ts'
import { cellOf, isNumberType, typeNameOf, typeNumberOf } from './values.ts'

const parameters = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(assay_v\d+)/g

/**
 * Inserts bound values as literals, in quotes that their text cannot end. A parameter-like piece within a text or a name is
 * not a parameter: a value there would end the quotes around it. The statement has no comments.
 */
const bound = ({ text, bindings }: Fragment) =>
  text.replace(parameters, (found, name: string | undefined) => {
    const value = name === undefined ? undefined : bindings[name]
    if (value === undefined) return found
    return typeof value === 'string' ? textLiteral(value) : String(value)
  })

/** A type of a result as the catalog of the server names it. */
const catalogType = (type: string) => type.replaceAll(/\b(decimal\(\d+), /g, '$1,')

/** Maximum number of characters of a result that is read whole. */
const mostCharacters = 64 * 2 ** 20

function cellsOf({ columns, rows }: ResultPart): Cell[][] {
  const types = columns.map(({ type }) => typeNumberOf(type))
  return rows.map((row) => types.map((type, index) => cellOf(row[index], type)))
}

/**
 * Opens a source. The server keeps no session: each statement is a request of its own and sees the table as it is then.
 * Aborting `signal` cancels the running statement at the server. `table`: the table in messages.
 */
export async function connect(
  target: Target<TrinoSource>,
  {
    timeoutMs,
    signal,
    table,
    statements,
    pace = usualPace,
  }: {
    timeoutMs: number
    signal: AbortSignal
    table: string | undefined
    /** For statements that another worker may continue. */
    statements?: StartedStatements | undefined
    pace?: Pace | undefined
  },
): Promise<Connection> {
  const client = createTrinoClient(target)
  const started = statements && startedAt(target.source, client, statements, pace)
  const limitMs = Math.min(timeoutMs, target.source.statementTimeoutSeconds * 1000)
  const run = (text: string) => resultOf(client, text, { signal, timeoutMs: limitMs, table, started })
  return {
    async read(statement) {
      const all: Cell[][] = []
      let characters = 0
      for await (const part of run(bound(statement))) {
        for (const row of cellsOf(part)) {
          for (const { text } of row) characters += 1 + (text?.length ?? 0)
          all.push(row)
        }
        if (characters > mostCharacters) throw tooLong()
      }
      return all
    },
    async *stream(statement, size) {
      for await (const part of run(bound(statement))) {
        const cells = cellsOf(part)
        for (let from = 0; from < cells.length; from += size) yield cells.slice(from, from + size)
      }
    },
    async typeOf(statement) {
      let columns: ResultPart['columns'] = []
      for await (const part of run(`${bound(statement)} LIMIT 0`)) columns = part.columns
      const type = columns[0]?.type ?? ''
      return {
        isBoolean: type === 'boolean',
        isNumber: isNumberType(type),
        columns: columns.length,
        name: async () => typeNameOf(type),
        described: async () => columns.map(({ name, type: of }) => ({ name, dataType: catalogType(of) })),
      }
    },
    async references(statement) {
      let id = ''
      for await (const { queryId } of run(`${bound(statement)} LIMIT 0`)) id = queryId
      return client.references(id, AbortSignal.any([signal, AbortSignal.timeout(limitMs)])).catch((error: unknown) => {
        signal.throwIfAborted()
        throw requestFailure(error, table)
      })
    },
    async close() {
      await started?.cancelLeft()
      await client.close()
    },
  }
}
