import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import { networkSentence } from '../databases/opening-failures.ts'
import type { ServerSource } from '../dataset.ts'
import { timedOut } from '../push-down/timed-out.ts'

/** The code of an error of the server (five characters) or of the network; empty if it has none. */
export const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

const server: Readonly<Record<string, string>> = {
  '28P01': 'The server refused the password of the user "{user}". Check both.',
  '3D000': 'There is no database "{database}" on the server.',
  '42501': 'The user "{user}" has no right to connect to the database "{database}".',
  '53300': 'The server has no free connection. Raise its limit, or lower maxConcurrentQueries of this source.',
  '57P03': 'The server does not accept connections at the moment. Try again later.',
}

/** Whether the server does not speak TLS. */
export const hasNoTls = (error: unknown) => /does not support SSL/i.test(messageOf(error))

function sentenceOf(error: unknown, source: ServerSource): string {
  const code = codeOf(error)
  const known = server[code]
  if (known !== undefined) return known
  // The driver itself refuses to answer the server's question.
  if (/client password must be a/.test(messageOf(error)))
    return 'The server asks for the password of the user "{user}", and the given one is empty.'
  if (hasNoTls(error)) return 'The server refused TLS. Switch it on there, or set tls to false.'
  const ofNetwork = networkSentence(error, source, 'PostgreSQL')
  if (ofNetwork !== undefined) return ofNetwork
  if (code === '28000' && /role .* does not exist/.test(messageOf(error)))
    return 'There is no user "{user}" on the server.'
  if (code.startsWith('28'))
    return 'The server does not admit the user "{user}" to the database "{database}" from here. Check its pg_hba.conf.'
  return 'The server at {at} did not open a session. Check whether it is a PostgreSQL server.'
}

/** Why a connection could not be opened. Never contains the driver's own message. */
export function openingFailure(error: unknown, source: ServerSource): AssayError {
  const { host, port, user, database } = source
  const sentence = sentenceOf(error, source)
    .replaceAll('{at}', `${host}:${port}`)
    .replaceAll('{user}', user)
    .replaceAll('{database}', database)
  return new AssayError('unprocessable', sentence, { cause: error })
}

/** The column that does not exist, for servers whose messages are English. */
export const missingColumn = (error: unknown): string | undefined =>
  codeOf(error) === '42703'
    ? /^column (?:"(.+)"|(\S+)) does not exist$/s.exec(messageOf(error))?.slice(1).find(Boolean)
    : undefined

const missing = /^(42P01|42703|3F000|42883)$/
const lost = /^(08|57P|ECONN|EPIPE|ETIMEDOUT|25P03)/

/**
 * Translates an error of a statement. Errors of the whole run become sentences; others stay unchanged. `table`: the
 * table's name for people.
 */
export function statementFailure(error: unknown, table: string | undefined): unknown {
  if (isAssayError(error)) return error
  const code = codeOf(error)
  const about = table === undefined ? 'The source' : `The table ${table}`
  const failed = (kind: 'unprocessable' | 'too-large', sentence: string) =>
    new AssayError(kind, sentence, { cause: error })
  if (code === '57014') return timedOut(error)
  if (code === '42501')
    return failed('unprocessable', `${about} may not be read: the user of the source has no right to SELECT.`)
  if (code === '42P01')
    return failed('unprocessable', `${about} no longer exists in its database. Crawl the source again.`)
  if (code === '53200' || code === '53100' || code === '54000')
    return failed('too-large', 'The run needed more memory or space than the database allows.')
  if (lost.test(code) || /Connection terminated|connection .* ended|not queryable/i.test(messageOf(error)))
    return failed('unprocessable', `${about} could not be read to its end: the connection to the database was lost.`)
  return error
}

/** Whether an error says that a column, schema or function does not exist. */
export const isMissing = (error: unknown) => missing.test(codeOf(error))
