import { AssayError, messageOf } from '@assay/service-kit/errors'
import pg from 'pg'
import type { Fragment } from '../sql/fragment.ts'

/** A value as the server writes it, with the OID of its type. */
export interface Cell {
  text: string | null
  oid: number
}

/** A read-only session of a run, on one snapshot. */
export interface Connection {
  /** All rows. An error leaves the session usable. */
  read(statement: Fragment): Promise<Cell[][]>
  /** The OID of the type of a statement's only column. Reads no rows. */
  typeOf(statement: Fragment): Promise<number>
  close(): Promise<void>
}

const settings = [
  "SET TIME ZONE 'UTC'",
  "SET datestyle = 'ISO, YMD'",
  "SET intervalstyle = 'iso_8601'",
  'SET extra_float_digits = 1',
  'SET search_path = pg_catalog',
  'SET standard_conforming_strings = on',
]

/** Converts named parameters to positional ones. */
function positional({ text, bindings }: Fragment): { text: string; values: string[] } {
  const values: string[] = []
  const types = { string: 'text', number: 'numeric', boolean: 'boolean' } as const
  const positionalText = text.replace(/\$(assay_v\d+)/g, (found, name: string) => {
    const value = bindings[name]
    if (value === undefined) return found
    values.push(String(value))
    return `CAST($${values.length} AS ${types[typeof value as keyof typeof types]})`
  })
  return { text: positionalText, values }
}

/** Translates the server's errors: cancelled statements and lost connections belong to the run, not to a metric. */
function failureOf(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === '57014') return new AssayError('timeout', 'The run exceeded its time limit.', { cause: error })
  if (code === '42P01' || code === '42501')
    return new AssayError('unprocessable', `The table cannot be read: ${messageOf(error)}`, { cause: error })
  if (/^(08|57P|E)/.test(code) && !code.startsWith('57014'))
    return new AssayError('unavailable', 'The database cannot be reached.', { cause: error })
  if (code === '53200' || code === '53100' || code === '54000')
    return new AssayError('too-large', 'The run needed more memory or space than the database allows.', {
      cause: error,
    })
  return error
}

/** Opens a session over the database at `url`. Aborting `signal` cancels the running statement. */
export async function connect(url: string, timeoutMs: number, signal: AbortSignal): Promise<Connection> {
  signal.throwIfAborted()
  const client = new pg.Client({ connectionString: url, application_name: 'assay' })
  // If the server ends an idle session, the next statement reports it.
  client.on('error', () => undefined)
  const types = { getTypeParser: () => (text: string) => text }
  const query = async (text: string, values: string[] = []) => {
    signal.throwIfAborted()
    try {
      return await client.query<(string | null)[]>({ text, values, rowMode: 'array', types })
    } catch (error) {
      signal.throwIfAborted()
      throw failureOf(error)
    }
  }
  try {
    await client.connect()
  } catch (error) {
    throw new AssayError('unprocessable', 'The database cannot be opened.', { cause: error })
  }
  for (const setting of [...settings, `SET statement_timeout = ${Math.max(1, Math.floor(timeoutMs))}`])
    await query(setting)
  const { rows } = await query('SELECT pg_backend_pid()')
  const pid = Number(rows[0]?.[0])
  const cancel = () => void cancelled(url, pid)
  signal.addEventListener('abort', cancel, { once: true })
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const within = async (text: string, values: string[]) => {
    await query('SAVEPOINT assay')
    try {
      return await query(text, values)
    } catch (error) {
      if (!signal.aborted) await query('ROLLBACK TO SAVEPOINT assay')
      throw error
    }
  }
  return {
    async read(statement) {
      const { text, values } = positional(statement)
      const found = await within(text, values)
      const oids = found.fields.map(({ dataTypeID }) => dataTypeID)
      return found.rows.map((row) => row.map((cell, index) => ({ text: cell, oid: oids[index] ?? 0 })))
    },
    async typeOf(statement) {
      const { text, values } = positional(statement)
      return (await within(`${text} LIMIT 0`, values)).fields[0]?.dataTypeID ?? 0
    },
    async close() {
      signal.removeEventListener('abort', cancel)
      await client.end().catch(() => undefined)
    },
  }
}

/** Cancels the statement of another session. */
async function cancelled(url: string, pid: number): Promise<void> {
  const other = new pg.Client({ connectionString: url, application_name: 'assay' })
  other.on('error', () => undefined)
  try {
    await other.connect()
    await other.query('SELECT pg_cancel_backend($1)', [pid])
  } catch {
    // If cancelling fails, the statement's time limit ends it.
  } finally {
    await other.end().catch(() => undefined)
  }
}
