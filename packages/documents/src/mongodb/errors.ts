import { tlsFailureOf, trustAdvice } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb'

const duplicateKey = 11_000

/**
 * Not primary, shutting down, stepping down, no such host. These are transient until the replica set has a primary
 * again.
 */
const passing = new Set([6, 7, 64, 89, 91, 100, 133, 189, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436])
const notAllowed = new Set([13, 18, 8000])
const outOfTime = new Set([50, 262])
const tooLarge = new Set([10_334, 17_280, 17_419, 17_420])
const diskFull = new Set([14_031])

/**
 * The indexes of the operations of an unordered bulk write that failed on a duplicate key. `undefined` if an operation
 * failed for another reason.
 */
export function duplicatesIn(error: unknown): number[] | undefined {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return undefined
  const errors = [error.writeErrors].flat()
  return errors.length > 0 && errors.every(({ code }) => code === duplicateKey)
    ? errors.map(({ index }) => index)
    : undefined
}

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKey
}

function codeOf(error: MongoServerError): number | undefined {
  const other =
    error instanceof MongoBulkWriteError
      ? [error.writeErrors].flat().find(({ code }) => code !== duplicateKey)?.code
      : undefined
  const code: unknown = other ?? error.code
  return typeof code === 'number' ? code : undefined
}

function ofServer(cause: MongoServerError): AssayError {
  const code = codeOf(cause)
  const details = { mongoCode: code ?? null }
  const made = (kind: AssayError['code'], message: string) => new AssayError(kind, message, { cause, details })
  if (code !== undefined) {
    if (outOfTime.has(code)) return made('timeout', 'MongoDB did not finish in time. Try again, or ask for less.')
    if (notAllowed.has(code))
      return made('unavailable', 'MongoDB refuses this user. Check the user, the password and the roles.')
    if (tooLarge.has(code)) return made('too-large', 'The document is larger than the 16 MiB that MongoDB can hold.')
    if (diskFull.has(code)) return made('unavailable', 'The disk of MongoDB is full. Free some space.')
    if (passing.has(code)) return made('unavailable', 'No MongoDB server can take this operation now. Try again.')
  }
  const passes = cause.hasErrorLabel('RetryableWriteError') || cause.hasErrorLabel('TransientTransactionError')
  if (passes || cause instanceof MongoWriteConcernError)
    return made('unavailable', 'MongoDB could not confirm the write. Try again.')
  return made('internal', 'MongoDB refused a command of the read models.')
}

/** Why there is no connection, and what to do. */
function unreachable(cause: unknown): string {
  const failure = tlsFailureOf(cause)
  switch (failure) {
    case 'untrusted':
      return `The certificate of MongoDB is not trusted. ${trustAdvice('with tlsCAFile in the address')}`
    case 'not-admitted':
      return 'MongoDB requires a client certificate that it trusts. Set tlsCertificateKeyFile in the address to its file.'
    case 'without-tls':
      return 'MongoDB does not use TLS at this address. Set tls=false in the address, or enable TLS on the server.'
    case undefined:
      return 'MongoDB cannot be reached. Check that it runs, that its address is right, and that client and server both use TLS or both do not.'
    default:
      return failure satisfies never
  }
}

/** Translates an error of the driver. The driver's text can contain values of documents, so it stays in `cause`. */
export function translated(cause: unknown): AssayError {
  if (isAssayError(cause)) return cause
  // The driver reports every failure of a bulk write, even a lost connection, as a server error.
  if (cause instanceof MongoBulkWriteError && cause.errorResponse instanceof Error)
    return translated(cause.errorResponse)
  if (cause instanceof MongoServerError) return ofServer(cause)
  if (cause instanceof MongoOperationTimeoutError)
    return new AssayError('timeout', 'MongoDB did not answer in time. Try again.', { cause })
  const gone =
    cause instanceof MongoServerSelectionError ||
    cause instanceof MongoNetworkError ||
    cause instanceof MongoTopologyClosedError ||
    cause instanceof MongoNotConnectedError ||
    // The pool throws these errors, but does not export their classes.
    (cause instanceof Error &&
      /^Mongo(PoolCleared|PoolClosed|ClientClosed|WaitQueueTimeout|SystemOverload)/.test(cause.name))
  if (gone) return new AssayError('unavailable', unreachable(cause), { cause })
  if (cause instanceof Error && 'syscall' in cause && cause.syscall === 'open')
    return new AssayError(
      'invalid',
      'A file named in the address of MongoDB cannot be read. Check tlsCAFile and tlsCertificateKeyFile.',
    )
  return new AssayError('internal', 'An unexpected error of MongoDB or its driver. See the log.', { cause })
}
