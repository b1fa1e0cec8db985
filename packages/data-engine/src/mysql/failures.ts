import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import { networkSentence } from '../databases/opening-failures.ts'
import type { ServerSource } from '../dataset.ts'
import { timedOut } from '../push-down/timed-out.ts'

/** The number of an error of the server; 0 if it has none. */
const numberOf = (error: unknown) => (error instanceof Error && 'errno' in error ? Number(error.errno) : 0)
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

const server: Readonly<Record<number, string>> = {
  1040: 'The server has no free connection. Raise its limit, or lower maxConcurrentQueries of this source.',
  1044: 'The user "{user}" has no rights on the database "{database}". GRANT SELECT on it.',
  1045: 'The server refused the password of the user "{user}", or knows no such user for connections from here. Check both.',
  1049: 'There is no database "{database}" on the server.',
  1129: 'The server blocks connections from here after too many errors. Run FLUSH HOSTS on it.',
  1130: 'The server does not admit connections from here. Check the hosts of its users.',
  1203: 'The user "{user}" has too many connections. Raise its limit, or lower maxConcurrentQueries of this source.',
  1226: 'The user "{user}" has too many connections. Raise its limit, or lower maxConcurrentQueries of this source.',
  1251: 'The user "{user}" logs in by a method that is not supported. Give it a password.',
  3159: 'The server demands TLS. Set tls to true.',
}

/** Whether the server does not speak TLS. */
export const hasNoTls = (error: unknown) => codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT'

function sentenceOf(error: unknown, source: ServerSource): string {
  const known = server[numberOf(error)]
  if (known !== undefined) return known
  if (hasNoTls(error)) return 'The server refused TLS. Switch it on there, or set tls to false.'
  const ofNetwork = networkSentence(error, source, 'MariaDB or MySQL')
  if (ofNetwork !== undefined) return ofNetwork
  if (/authentication plugin|AUTH_SWITCH/i.test(`${codeOf(error)} ${messageOf(error)}`)) return server[1251] ?? ''
  return 'The server at {at} did not open a session. Check whether it is a MariaDB or MySQL server.'
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
  numberOf(error) === 1054 ? /^Unknown column '(.+)' in /s.exec(messageOf(error))?.[1] : undefined

const timeouts: ReadonlySet<number> = new Set([1969, 3024, 1205])
const noRights: ReadonlySet<number> = new Set([1142, 1143, 1044, 1370, 1356])
const full: ReadonlySet<number> = new Set([1021, 1037, 1038, 1041, 1114, 5])
const lost: ReadonlySet<number> = new Set([1053, 1077, 1152, 1184, 1927, 2006, 2013, 3169, 4031])

/**
 * Translates an error of a statement. Errors of the whole run become sentences; others stay unchanged. `table`: the
 * table's name for people.
 */
export function statementFailure(error: unknown, table: string | undefined): unknown {
  if (isAssayError(error)) return error
  const number = numberOf(error)
  const about = table === undefined ? 'The source' : `The table ${table}`
  const failed = (kind: 'unprocessable' | 'too-large', sentence: string) =>
    new AssayError(kind, sentence, { cause: error })
  if (timeouts.has(number)) return timedOut(error)
  if (number === 1317) return failed('unprocessable', `${about} could not be read: its query was killed at the server.`)
  if (number === 1356)
    return failed(
      'unprocessable',
      `${about} is a view that cannot be read: what it reads is missing, or its user has no rights.`,
    )
  if (noRights.has(number))
    return failed('unprocessable', `${about} may not be read: the user of the source has no right to SELECT.`)
  if (number === 1146)
    return failed('unprocessable', `${about} no longer exists in its database. Crawl the source again.`)
  if (number === 1412) return failed('unprocessable', `${about} was altered during the run. Run it again.`)
  if (full.has(number)) return failed('too-large', 'The run needed more memory or space than the database allows.')
  if (
    lost.has(number) ||
    /^(?:PROTOCOL_|ECONN|EPIPE|ETIMEDOUT)/.test(codeOf(error)) ||
    /closed state/.test(messageOf(error))
  )
    return failed('unprocessable', `${about} could not be read to its end: the connection to the database was lost.`)
  return error
}

/**
 * Warnings that mean a wrong result: a value was cut, out of range or not a number, or a regular expression gave up. (A
 * division by zero gives NULL, as in DuckDB.)
 */
const losses: ReadonlySet<number> = new Set([1139, 1264, 1265, 1292, 1366, 1411, 1441, 1916, 1918, 3685, 3699])

/**
 * The error of a statement, from its warnings and without values of rows. Undefined if no warning means a wrong result.
 */
export function warningFailure(warnings: readonly { number: number; message: string }[]): Error | undefined {
  const found = warnings.find(({ number }) => losses.has(number))
  return found === undefined ? undefined : new Error(found.message.replace(/:? '.*$/s, ''))
}
