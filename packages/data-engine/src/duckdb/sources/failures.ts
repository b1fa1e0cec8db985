import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { Discovered } from '../../dataset.ts'

const reasons: readonly [RegExp, string][] = [
  [/ENOENT|No files found|No such file/i, 'is not there any more: crawl the source again, or put the file back'],
  [/EACCES|EPERM|Permission denied/i, 'may not be read: give the user that runs Assay the right to read it'],
  [/EISDIR|ENOTDIR/i, 'is not what its name says: expected a file'],
  [/EMFILE|ENFILE/i, 'could not be opened because too many files are open: try again later'],
  [
    /No magic bytes found|too small to be a Parquet|Footer|footer|not a parquet|TProtocolException|Invalid TType/i,
    'is no complete Parquet file: it was cut short or is in another format; write it anew',
  ],
  [
    /unexpected end of data|unexpected end of (file|input)|Z_BUF_ERROR/i,
    'ends in the middle: it was cut short; write it anew',
  ],
  [
    /incorrect header check|Z_DATA_ERROR|GZIP|gzip|zstd/i,
    'is damaged: its compressed content cannot be unpacked; write it anew',
  ],
  [/Conflicting lock|Could not set lock/i, 'is in use by another program: close it there, or crawl a copy'],
  [
    /version number|storage version|newer version|older version of DuckDB/i,
    'was written by another version of DuckDB that cannot be read here: export it with that version',
  ],
  [/Corrupt database|checksum/i, 'is a damaged database file: restore it from a copy'],
  [/file is not a database|not a valid DuckDB database|magic bytes/i, 'is no database file of that kind'],
  [
    /database disk image is malformed|SQLITE_CORRUPT/i,
    'is a damaged SQLite file: restore it, or repair it with `.recover`',
  ],
  [/database is locked|SQLITE_BUSY/i, 'is locked by a writer: try again later'],
  [/Out of Memory/i, 'needs more memory than this run may use'],
]

/** Where a text of the engine says that it stopped: numbers alone, for whatever else it holds may be a value of a row. */
function placeIn(text: string): string {
  const byte = /\bat byte (\d+)/.exec(text)?.[1]
  const row = /\bin (?:record\/value|record|line) (\d+)|\bLine: (\d+)/.exec(text)
  const told = row?.[1] ?? row?.[2]
  // Of malformed JSON the engine tells how many records it has begun, and one more.
  const number = told !== undefined && text.includes('Malformed JSON') ? String(Number(told) - 1) : told
  const parts = [byte && `byte ${byte}`, number && `record ${number}`].filter(Boolean)
  return parts.length === 0 ? '' : ` at ${parts.join(' of ')}`
}

/**
 * Says what is wrong with a file of a source and what to do, without the text of the driver. `name` is relative to the
 * source. Errors that are Assay's already pass through.
 */
export function unreadable(error: unknown, name: string): AssayError {
  if (isAssayError(error)) return error
  if (error instanceof Error && error.name === 'AbortError') throw error
  const text = messageOf(error)
  if (/^INTERRUPT Error|Interrupted/i.test(text)) throw error
  if (/^Out of Memory Error|Out of Memory/i.test(text)) {
    return new AssayError('too-large', `${name} needs more memory than this run may use.`, { cause: error })
  }
  const known = reasons.find(([pattern]) => pattern.test(text))
  const reason =
    known === undefined
      ? `cannot be read${placeIn(text)}: what it holds is damaged or in another format; write it anew`
      : known[1]
  return new AssayError('unprocessable', `${name} ${reason}.`, { cause: error })
}

/** Whether the engine said, now or before, that it can do nothing more: DuckDB then refuses all that comes, whatever it is. */
export function hasBrokenDown(error: unknown): boolean {
  if (/^(?:FATAL|INTERNAL) Error|database has been invalidated/.test(messageOf(error))) return true
  return error instanceof Error && error.cause !== undefined && hasBrokenDown(error.cause)
}

/**
 * A table or file of a crawl that cannot be read. Rethrows an error after which this process has little left for others, or
 * nothing: another process reads them.
 */
export function failedAt(path: string, error: unknown): Extract<Discovered, { kind: 'failed' }> {
  const failure = unreadable(error, path)
  if (failure.code === 'too-large' || hasBrokenDown(failure)) throw failure
  return { kind: 'failed', path, message: failure.message }
}

/** A source that is at fault itself: `name` is relative to it. */
export function refused(name: string, reason: string): AssayError {
  return new AssayError('unprocessable', `${name} ${reason}.`)
}
