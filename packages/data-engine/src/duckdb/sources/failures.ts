import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { Discovered } from '../../dataset.ts'

const reasons: readonly [RegExp, string][] = [
  [/ENOENT|No files found|No such file/i, 'no longer exists: crawl the source again, or restore the file'],
  [/EACCES|EPERM|Permission denied/i, 'may not be read: give the user that runs Assay permission to read it'],
  [/EISDIR|ENOTDIR/i, 'is a folder, but its name is that of a file'],
  [/EMFILE|ENFILE/i, 'could not be opened because too many files are open: try again later'],
  [
    /No magic bytes found|too small to be a Parquet|Footer|footer|not a parquet|TProtocolException|Invalid TType/i,
    'is not a complete Parquet file: it was truncated or has another format; write it again',
  ],
  [
    /unexpected end of data|unexpected end of (file|input)|Z_BUF_ERROR/i,
    'ends unexpectedly: it was truncated; write it again',
  ],
  [
    /incorrect header check|Z_DATA_ERROR|GZIP|gzip|zstd/i,
    'is damaged: its compressed content cannot be unpacked; write it again',
  ],
  [/Conflicting lock|Could not set lock/i, 'is in use by another program: close it there, or crawl a copy'],
  [
    /version number|storage version|newer version|older version of DuckDB/i,
    'was written by another version of DuckDB that cannot be read here: export it with that version',
  ],
  [/Corrupt database|checksum/i, 'is a damaged database file: restore it from a copy'],
  [/file is not a database|not a valid DuckDB database|magic bytes/i, 'is not a database file of this type'],
  [
    /database disk image is malformed|SQLITE_CORRUPT/i,
    'is a damaged SQLite file: restore it, or repair it with `.recover`',
  ],
  [/database is locked|SQLITE_BUSY/i, 'is locked by a writer: try again later'],
  [/maximum_object_size/i, 'has a JSON value that is too large to read: write each record as an object of its own'],
  [/Out of Memory/i, 'needs more memory than this run may use'],
]

/**
 * The position in an error text of the engine. Extracts only numbers, because other parts of the text may be values of
 * a row.
 */
function positionIn(text: string): string {
  const byte = /\bat byte (\d+)/.exec(text)?.[1]
  const row = /\bin (?:record\/value|record|line) (\d+)|\bLine: (\d+)/.exec(text)
  const reported = row?.[1] ?? row?.[2]
  // For malformed JSON, the engine reports the number of records that it has started, plus one.
  const number = reported !== undefined && text.includes('Malformed JSON') ? String(Number(reported) - 1) : reported
  const parts = [byte && `byte ${byte}`, number && `record ${number}`].filter(Boolean)
  return parts.length === 0 ? '' : ` at ${parts.join(' of ')}`
}

/**
 * Translates an error of a file to a message that states the problem and what to do, without the driver's text. `name`
 * is relative to the source. Errors of Assay pass unchanged.
 */
export function unreadable(error: unknown, name: string): AssayError {
  if (isAssayError(error)) return error
  if (error instanceof Error && error.name === 'AbortError') throw error
  const text = messageOf(error)
  if (/^INTERRUPT Error|Interrupted/i.test(text)) throw error
  // The latter two: a text exceeds the maximum length of a string in JavaScript.
  if (/Out of Memory|Invalid string length|Cannot create a string longer/i.test(text)) {
    return new AssayError('too-large', `${name} needs more memory than this run may use.`, { cause: error })
  }
  const known = reasons.find(([pattern]) => pattern.test(text))
  const reason =
    known === undefined
      ? `cannot be read${positionIn(text)}: its content is damaged or has another format; write it again`
      : known[1]
  return new AssayError('unprocessable', `${name} ${reason}.`, { cause: error })
}

/** Whether the engine has broken down: after a fatal error, DuckDB refuses every later statement. */
export function hasBrokenDown(error: unknown): boolean {
  if (/^(?:FATAL|INTERNAL) Error|database has been invalidated/.test(messageOf(error))) return true
  return error instanceof Error && error.cause !== undefined && hasBrokenDown(error.cause)
}

/**
 * Reports a table or file of a crawl that cannot be read. Rethrows errors after which this process cannot read further
 * tables (memory, a broken engine); another process then continues.
 */
export function failedAt(path: string, error: unknown): Extract<Discovered, { kind: 'failed' }> {
  const failure = unreadable(error, path)
  if (failure.code === 'too-large' || hasBrokenDown(failure)) throw failure
  return { kind: 'failed', path, message: failure.message }
}

/** The error of a source or of a file in it; `name` is relative to the source. */
export function refused(name: string, reason: string): AssayError {
  return new AssayError('unprocessable', `${name} ${reason}.`)
}
