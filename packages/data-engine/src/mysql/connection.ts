import type { Connection as Client, FieldPacket } from 'mysql2'
import { z } from 'zod'
import type { Target } from '../databases/reach.ts'
import type { ServerSource } from '../dataset.ts'
import type { Cell, Connection } from '../push-down/connection.ts'
import type { Fragment } from '../sql/fragment.ts'
import { textLiteral } from '../sql/quote.ts'
import { openClient } from './client.ts'
import { statementFailure, warningFailure } from './failures.ts'
import { exactCollation, flavorOf } from './flavor.ts'
import { cellOf, columnTypeOf, isCondition, isNumber, noField, type ResultField, typeNameOf } from './values.ts'

/** Names in double quotes, `||` concatenates texts, backslashes have no meaning. No other mode that changes results. */
const mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'
/** How long a killed statement may take to end before its connection is closed. */
const killWaitMs = 5_000
const longestSortBytes = 65_536

const rowsRead = z.array(z.array(z.instanceof(Buffer).nullable()))

const parameters = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(assay_v\d+)/g

/**
 * Inserts bound values as literals, in quotes that their text cannot end. A parameter-like piece within a text or a
 * name is not a parameter: a value there would end the quotes around it.
 */
const bound = ({ text, bindings }: Fragment) =>
  text.replace(parameters, (found, name: string | undefined) => {
    const value = name === undefined ? undefined : bindings[name]
    if (value === undefined) return found
    return typeof value === 'string' ? textLiteral(value) : String(value)
  })

const unsignedFlag = 32

const fieldsOf = (fields: readonly FieldPacket[]): ResultField[] =>
  fields.map(({ columnType, characterSet, columnLength, name, decimals, flags }) => ({
    ...{ type: columnType ?? 0, charset: characterSet ?? 0, length: columnLength ?? 0, name, decimals },
    isUnsigned: (Number(flags) & unsignedFlag) !== 0,
  }))

interface Answer {
  rows: (Buffer | null)[][]
  fields: ResultField[]
}

const run = (client: Client, text: string) =>
  new Promise<Answer>((resolve, reject) => {
    client.query(text, (error, rows, fields) => {
      if (error !== null) reject(error)
      else resolve({ rows: rowsRead.safeParse(rows).data ?? [], fields: fieldsOf(fields ?? []) })
    })
  })

/** Pins everything that changes results, sets the time limit, and begins the session's only snapshot. */
async function prepare(client: Client, limitMs: number): Promise<void> {
  const { rows } = await run(client, 'SELECT version()')
  const flavor = flavorOf(rows[0]?.[0]?.toString('utf8') ?? '')
  const limit =
    flavor === 'MariaDB' ? `max_statement_time = ${limitMs / 1000}` : `max_execution_time = ${Math.ceil(limitMs)}`
  const settings = [
    `SET NAMES utf8mb4 COLLATE ${exactCollation[flavor]}`,
    `SET SESSION sql_mode = '${mode}', time_zone = '+00:00', ${limit}, lock_wait_timeout = ${Math.ceil(limitMs / 1000)},
      sql_select_limit = DEFAULT, sql_auto_is_null = 0, sql_big_selects = 1, max_sort_length = ${longestSortBytes},
      div_precision_increment = 4, net_write_timeout = 600`,
    'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
    ...(flavor === 'MySQL' ? ['SET SESSION information_schema_stats_expiry = 0'] : []),
    'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
  ]
  for (const setting of settings) await run(client, setting)
}

/**
 * Opens a session in a database. Aborting `signal` kills the running statement at the server. `table`: the table in
 * messages.
 */
export async function connect(
  target: Target<ServerSource>,
  { timeoutMs, signal, table }: { timeoutMs: number; signal: AbortSignal; table: string | undefined },
): Promise<Connection> {
  const client = await openClient(target, signal)
  const limitMs = Math.max(1, Math.min(timeoutMs, target.source.statementTimeoutSeconds * 1000))
  const failed = (error: unknown) => {
    signal.throwIfAborted()
    return statementFailure(error, table)
  }
  const query = async (text: string): Promise<Answer> => {
    signal.throwIfAborted()
    try {
      return await run(client, text)
    } catch (error) {
      throw failed(error)
    }
  }
  const cancel = () => void killed(target, client)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    await prepare(client, limitMs)
  } catch (error) {
    signal.removeEventListener('abort', cancel)
    client.destroy()
    throw failed(error)
  }
  /** The server reports some errors of values only as warnings, although the result is wrong. */
  const requireNoLoss = async () => {
    const { rows } = await query('SHOW WARNINGS')
    const warnings = rows.map(([, number, message]) => ({
      number: Number(number?.toString('utf8')),
      message: message?.toString('utf8') ?? '',
    }))
    const failure = warningFailure(warnings)
    if (failure !== undefined) throw failure
  }
  const cells = (row: (Buffer | null)[], fields: readonly ResultField[]): Cell[] =>
    row.map((bytes, index) => cellOf(bytes, fields[index] ?? noField))
  return {
    async read(statement) {
      const { rows, fields } = await query(bound(statement))
      await requireNoLoss()
      return rows.map((row) => cells(row, fields))
    },
    async *stream(statement, size) {
      let fields: ResultField[] = []
      let isWhole = false
      const found = client.query(bound(statement)).once('fields', (all: FieldPacket[]) => (fields = fieldsOf(all)))
      try {
        let part: Cell[][] = []
        for await (const row of found.stream({ highWaterMark: size })) {
          part.push(cells(rowsRead.element.parse(row), fields))
          if (part.length < size) continue
          yield part
          part = []
        }
        isWhole = true
        if (part.length > 0) yield part
      } catch (error) {
        throw failed(error)
      } finally {
        // The session could be used again only after reading all remaining rows.
        if (!isWhole) client.destroy()
      }
      await requireNoLoss()
    },
    async typeOf(statement) {
      const { fields } = await query(`${bound(statement)} LIMIT 0`)
      const field = fields[0] ?? noField
      return {
        isBoolean: isCondition(field),
        isNumber: isNumber(field),
        columns: fields.length,
        name: async () => typeNameOf(field),
        described: async () => fields.map((one) => ({ name: one.name, dataType: columnTypeOf(one) })),
      }
    },
    async close() {
      signal.removeEventListener('abort', cancel)
      if (signal.aborted) return client.destroy()
      await new Promise<void>((resolve) => {
        const late = AbortSignal.timeout(killWaitMs)
        late.addEventListener('abort', () => resolve(client.destroy()), { once: true })
        client.end(() => resolve())
      })
    },
  }
}

/** Kills the statement of a session. Closes the session if the statement has not ended soon after. */
async function killed(target: Target<ServerSource>, client: Client): Promise<void> {
  const late = AbortSignal.timeout(killWaitMs)
  late.addEventListener('abort', () => client.destroy(), { once: true })
  try {
    const other = await openClient(target)
    try {
      await run(other, `KILL QUERY ${client.threadId}`)
    } finally {
      other.destroy()
    }
  } catch {
    // If killing fails, the statement's time limit ends it.
  }
}
