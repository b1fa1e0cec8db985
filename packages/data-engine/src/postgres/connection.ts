import { isIP, Socket } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import pg from 'pg'
import { z } from 'zod'
import type { Target } from '../databases/reach.ts'
import type { ServerSource } from '../dataset.ts'
import type { Cell, Connection } from '../push-down/connection.ts'
import type { Fragment } from '../sql/fragment.ts'
import { hasNoTls, openingFailure, statementFailure } from './failures.ts'
import { booleanOid, numberOids } from './values.ts'

const settings = [
  "SET TIME ZONE 'UTC'",
  "SET datestyle = 'ISO, YMD'",
  "SET intervalstyle = 'iso_8601'",
  'SET extra_float_digits = 1',
  'SET search_path = pg_catalog',
  'SET standard_conforming_strings = on',
  'SET default_transaction_read_only = on',
  // The server notices that this process died, and ends the statement. Versions before 14 do not know the setting.
  "SELECT set_config(name, '10s', false) FROM pg_settings WHERE name = 'client_connection_check_interval'",
]

const parts = new RegExp(
  [
    /[eE]'(?:\\[\s\S]|''|[^'\\])*'/u,
    /[\p{L}_][\p{L}\p{N}\p{M}_$]*/u,
    /'(?:[^']|'')*'/u,
    /"(?:[^"]|"")*"/u,
    /\$(?<tag>(?:[\p{L}_][\p{L}\p{N}_]*)?)\$[\s\S]*?\$\k<tag>\$/u,
    /\$(?<name>assay_v\d+)/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)
const named = z.object({ name: z.string().optional() })

/**
 * Converts named parameters to positional ones. A parameter-like piece within a text or a name is not a parameter: a
 * value there would end the quotes around it. The statement has no comments.
 */
function positional({ text, bindings }: Fragment): { text: string; values: string[] } {
  const values: string[] = []
  const types = { string: 'text', number: 'numeric', boolean: 'boolean' } as const
  const positionalText = text.replace(parts, (found: string, ...rest: unknown[]) => {
    const { name } = named.parse(rest.at(-1))
    const value = name === undefined ? undefined : bindings[name]
    if (value === undefined) return found
    values.push(String(value))
    return `CAST($${values.length} AS ${types[typeof value as keyof typeof types]})`
  })
  return { text: positionalText, values }
}

function clientOf(
  { source, password }: Target<ServerSource>,
  address: string,
  tls: 'verified' | 'any' | 'none',
  socket: Socket,
): pg.Client {
  const { host, port, database, user, tlsCa, connectTimeoutSeconds } = source
  const ssl = {
    rejectUnauthorized: tls === 'verified',
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(tlsCa === undefined ? {} : { ca: tlsCa }),
    checkServerIdentity: (_: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
      tls === 'verified' ? checkServerIdentity(host, certificate) : undefined,
  }
  const client = new pg.Client({
    ...{ host: address, port, database, user, application_name: 'assay' },
    // The driver replaces an empty text with the password of its own environment or of a file.
    password: () => password,
    ...{ connectionTimeoutMillis: connectTimeoutSeconds * 1000, keepAlive: true },
    stream: () => socket,
    ssl: tls === 'none' ? false : ssl,
  })
  // If the server ends an idle session, the next statement reports it.
  client.on('error', () => undefined)
  return client
}

/** A connected client. Tries each address of the host. */
async function connected(target: Target<ServerSource>, signal?: AbortSignal): Promise<pg.Client> {
  const { source, addresses } = target
  const [first, ...others] =
    source.tls === true
      ? (['verified'] as const)
      : source.tls === false
        ? (['none'] as const)
        : (['any', 'none'] as const)
  let failure: unknown
  for (const address of addresses) {
    for (const tls of [first, ...others]) {
      signal?.throwIfAborted()
      const socket = new Socket()
      const client = clientOf(target, address, tls, socket)
      // Ending the client would wait for a server that does not answer.
      const abandon = () => void socket.destroy()
      signal?.addEventListener('abort', abandon, { once: true })
      try {
        await client.connect()
        return client
      } catch (error) {
        await client.end().catch(() => undefined)
        signal?.throwIfAborted()
        failure = error
        if (!hasNoTls(error)) break
      } finally {
        signal?.removeEventListener('abort', abandon)
      }
    }
  }
  throw openingFailure(failure, source)
}

/**
 * Opens a session in a database. Aborting `signal` cancels the running statement at the server. `table`: the table in
 * messages.
 */
export async function connect(
  target: Target<ServerSource>,
  { timeoutMs, signal, table }: { timeoutMs: number; signal: AbortSignal; table: string | undefined },
): Promise<Connection> {
  const client = await connected(target, signal)
  const types = { getTypeParser: () => (text: string) => text }
  const query = async (text: string, values: string[] = []) => {
    signal.throwIfAborted()
    try {
      return await client.query<(string | null)[]>({ text, values, rowMode: 'array', types })
    } catch (error) {
      signal.throwIfAborted()
      throw statementFailure(error, table)
    }
  }
  const limitMs = Math.min(timeoutMs, target.source.statementTimeoutSeconds * 1000)
  let pid = 0
  const cancel = () => void cancelled(target, pid)
  try {
    for (const setting of [...settings, `SET statement_timeout = ${Math.max(1, Math.floor(limitMs))}`])
      await query(setting)
    pid = Number((await query('SELECT pg_backend_pid()')).rows[0]?.[0])
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
  signal.addEventListener('abort', cancel, { once: true })
  const within = async (text: string, values: string[]) => {
    await query('SAVEPOINT assay')
    try {
      return await query(text, values)
    } catch (error) {
      if (!signal.aborted) await query('ROLLBACK TO SAVEPOINT assay').catch(() => undefined)
      throw error
    }
  }
  const typeName = async (oid: number) => {
    const { rows: named } = await within(`SELECT upper(format_type(${oid}, NULL))`, [])
    return (named[0]?.[0] ?? '').replaceAll(' ', '')
  }
  const cellsOf = ({ rows, fields }: pg.QueryArrayResult<(string | null)[]>): Cell[][] => {
    const oids = fields.map(({ dataTypeID }) => dataTypeID)
    return rows.map((row) => row.map((cell, index) => ({ text: cell, type: oids[index] ?? 0 })))
  }
  return {
    async read(statement) {
      const { text, values } = positional(statement)
      return cellsOf(await within(text, values))
    },
    async *stream(statement, rows) {
      const { text, values } = positional(statement)
      await within(`DECLARE assay_rows NO SCROLL CURSOR FOR ${text}`, values)
      try {
        for (;;) {
          const part = cellsOf(await query(`FETCH FORWARD ${rows} FROM assay_rows`))
          if (part.length > 0) yield part
          if (part.length < rows) return
        }
      } finally {
        if (!signal.aborted) await query('CLOSE assay_rows').catch(() => undefined)
      }
    },
    async typeOf(statement) {
      const { text, values } = positional(statement)
      const { fields } = await within(`${text} LIMIT 0`, values)
      const oid = fields[0]?.dataTypeID ?? 0
      return {
        isBoolean: oid === booleanOid,
        isNumber: numberOids.has(oid),
        columns: fields.length,
        name: () => typeName(oid),
        async described() {
          const types = fields.map((field) => `format_type(${field.dataTypeID}, ${field.dataTypeModifier})`)
          const { rows: named } = await within(`SELECT ${types.join(', ')}`, [])
          return fields.map(({ name }, index) => ({ name, dataType: named[0]?.[index] ?? '' }))
        },
      }
    },
    async close() {
      signal.removeEventListener('abort', cancel)
      await client.end().catch(() => undefined)
    },
  }
}

/** Cancels the statement of another session. */
async function cancelled(target: Target<ServerSource>, pid: number): Promise<void> {
  try {
    const other = await connected(target)
    try {
      await other.query('SELECT pg_cancel_backend($1)', [pid])
    } finally {
      await other.end().catch(() => undefined)
    }
  } catch {
    // If cancelling fails, the statement's time limit ends it.
  }
}
