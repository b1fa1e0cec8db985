import { AssayError, isAssayError } from '@assay/service-kit/errors'

/** Primary result codes (https://www.sqlite.org/rescode.html) that mean a failing store and not a faulty statement. */
const sentences: { readonly [code: number]: string } = {
  3: 'Access to the database file is denied. Check the permissions of the data folder.',
  5: 'The database is busy with another writer. Try again in a moment.',
  6: 'The database is busy with another writer. Try again in a moment.',
  7: 'There is not enough memory for the database. Free some memory and try again.',
  8: 'The database is read-only. Check the permissions of the data folder and its file system.',
  10: 'The disk reported an error while the database was read or written. Check the disk.',
  11: 'The database file is damaged. Stop Assay and restore the data folder from a backup.',
  13: 'The disk is full. Free some space and try again.',
  14: 'The database file cannot be opened. Check that its folder exists and can be written to.',
  15: 'The database stayed locked. Try again in a moment.',
  26: 'The database file is not a database, or is damaged. Restore the data folder from a backup.',
}

const ioError = 10

/** The extended SQLite result code of a driver error (2067: UNIQUE, 1555: PRIMARY KEY); `undefined` for anything else. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

/** Whether `error` is a violated UNIQUE or PRIMARY KEY constraint. */
export function isUniqueViolation(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 2067 || code === 1555
}

/** Returns `unavailable` for a failing store. Returns every other error unchanged, even a violated constraint. */
export function translated(error: unknown): unknown {
  const code = sqliteCode(error)
  const sentence = code === undefined ? undefined : sentences[code & 0xff]
  return sentence === undefined ? error : new AssayError('unavailable', sentence, { cause: error })
}

/**
 * Returns `unknown-outcome` if COMMIT failed with an I/O error, because a later recovery may still find the transaction
 * in the write-ahead log. After other failures of COMMIT, nothing is stored.
 */
export function translatedCommit(error: unknown): unknown {
  const code = isAssayError(error) ? sqliteCode(error.cause) : sqliteCode(error)
  if (code === undefined || (code & 0xff) !== ioError) return translated(error)
  return new AssayError(
    'unknown-outcome',
    'The disk reported an error while the write was made durable, so it may or may not have happened.',
    { cause: error },
  )
}
