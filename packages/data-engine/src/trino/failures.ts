import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import { networkSentence } from '../databases/opening-failures.ts'
import { placeOf } from '../databases/place.ts'
import type { TrinoSource } from '../dataset.ts'
import { timedOut } from '../push-down/timed-out.ts'
import type { StatementError } from './client.ts'

const statuses: Readonly<Record<number, string>> = {
  401: 'The server refused the password of the user "{user}", or demands one. Check user and password.',
  403: 'The server does not admit the user "{user}".',
  404: 'Nothing at {at} understands statements. Check whether a Trino coordinator listens there.',
  429: 'The server is busy. Try again later, or lower maxConcurrentQueries of this source.',
  502: 'The server at {at} is not available.',
  503: 'The server at {at} is not available.',
  504: 'The server at {at} is not available.',
}

const filled = (sentence: string, source: TrinoSource) => {
  const { host, port } = placeOf(source)
  return sentence.replaceAll('{at}', `${host}:${port}`).replaceAll('{user}', source.user)
}

/** The failure of a request by its status. */
export function httpFailure(status: number, source: TrinoSource): AssayError {
  const isRedirect = status >= 300 && status < 400
  const usual = isRedirect
    ? 'The server at {at} points to another address. Set url to that one.'
    : 'The server at {at} did not take a statement. Check whether it is a Trino coordinator.'
  return new AssayError('unprocessable', filled(statuses[status] ?? usual, source))
}

/** Why a server could not be reached. Never contains the driver's own message. */
export function openingFailure(error: unknown, source: TrinoSource): AssayError {
  if (isAssayError(error)) return error
  const { connectTimeoutSeconds } = source
  const usual = 'The server at {at} did not answer as a Trino coordinator does. Check url, and whether it needs https.'
  const sentence = networkSentence(error, { ...placeOf(source), connectTimeoutSeconds }, 'Trino') ?? usual
  return new AssayError('unprocessable', filled(sentence, source), { cause: error })
}

/** A statement that the server refused or ended. `name`: the server's name of the error. */
export class TrinoError extends Error {
  readonly name: string

  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

/** The column that does not exist. */
export const missingColumn = (error: unknown): string | undefined =>
  error instanceof TrinoError && error.name === 'COLUMN_NOT_FOUND'
    ? /^Column '(.+)' cannot be resolved/s.exec(error.message)?.[1]
    : undefined

const timeouts = /^(?:EXCEEDED_TIME_LIMIT|ABANDONED_QUERY)$/
const full = /^(?:EXCEEDED_.*|QUERY_TEXT_TOO_LARGE|QUERY_QUEUE_FULL|CLUSTER_OUT_OF_MEMORY|OUT_OF_SPILL_SPACE)$/
const missing = /^(?:TABLE_NOT_FOUND|SCHEMA_NOT_FOUND|CATALOG_NOT_FOUND)$/
const killed = /^(?:ADMINISTRATIVELY_KILLED|ADMINISTRATIVELY_PREEMPTED|USER_CANCELED)$/

/**
 * Translates the error of a statement. Errors of the whole run become sentences; those of a user's SQL keep the server's
 * message, without values of rows. `table`: the table's name for people.
 */
export function statementFailure(given: StatementError, table: string | undefined): Error {
  const { errorName, errorType, errorLocation } = given
  const message = given.message.replace(/^line \d+:\d+: /, '')
  const about = table === undefined ? 'The source' : `The table ${table}`
  const failed = (kind: 'unprocessable' | 'too-large', sentence: string) =>
    new AssayError(kind, sentence, { cause: new TrinoError(errorName, message) })
  if (errorName === 'CATALOG_NOT_FOUND')
    return failed(
      'unprocessable',
      message.replace(/^Catalog '(.*)' not found$/s, 'There is no catalog "$1" on the server.'),
    )
  if (errorName === 'PERMISSION_DENIED')
    return failed('unprocessable', `${about} may not be read: the user of the source has no right to SELECT.`)
  if (missing.test(errorName))
    return failed('unprocessable', `${about} no longer exists in its catalog. Crawl the source again.`)
  if (timeouts.test(errorName)) return timedOut(new TrinoError(errorName, message))
  if (full.test(errorName))
    return failed('too-large', `The server ended the query, because a limit of the server was exceeded (${errorName}).`)
  if (killed.test(errorName))
    return failed('unprocessable', `${about} could not be read: its query was cancelled at the server.`)
  if (errorType !== 'USER_ERROR')
    return failed('unprocessable', `${about} could not be read to its end: the server failed (${errorName}).`)
  // Without a place in the statement, an error comes from the values of a row, and its message may contain them.
  return new TrinoError(errorName, errorLocation === undefined ? message.replace(/\s*['":].*$/s, '') : message)
}

/** The server sends more than a run may hold. */
export const tooLong = (cause?: unknown): AssayError =>
  new AssayError(
    'too-large',
    'The server sends more than Assay reads at once. Check whether rows have very long values.',
    {
      cause,
    },
  )

/** Whether the user may not see something that exists, or that the server does not have. */
export const isHidden = (error: unknown): boolean =>
  isAssayError(error) &&
  error.cause instanceof TrinoError &&
  /^(?:PERMISSION_DENIED|CATALOG_NOT_FOUND)$/.test(error.cause.name)

/** The failure of a request within a statement. */
export function requestFailure(error: unknown, table: string | undefined): unknown {
  if (isAssayError(error) || error instanceof TrinoError) return error
  const about = table === undefined ? 'The source' : `The table ${table}`
  const sentence = `${about} could not be read to its end: the connection to the server was lost.`
  return new AssayError('unprocessable', sentence, { cause: new Error(messageOf(error)) })
}

/**
 * Whether a statement that another worker began can no longer be read: it was cancelled, the server has abandoned it, or
 * its address does not lead to it.
 */
export const isGone = (failure: unknown): boolean => {
  if (!isAssayError(failure)) return false
  const { cause } = failure
  return cause instanceof TrinoError
    ? /^(?:USER_CANCELED|ABANDONED_QUERY)$/.test(cause.name)
    : failure.code === 'unprocessable'
}
