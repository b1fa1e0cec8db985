import { tlsFailureOf, trustAdvice } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'

/** Codes of gRPC (https://grpc.io/docs/guides/status-codes/). */
const grpc = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  aborted: 10,
  unimplemented: 12,
  unauthenticated: 16,
}

/** Classes of client errors. */
type Trouble =
  | 'conflict'
  | 'no-stream'
  | 'too-large'
  /** The server refuses this user, or the client's certificate. */
  | 'refused'
  /** The client does not trust the server's certificate. */
  | 'untrusted'
  /** The server does not speak TLS. */
  | 'without-tls'
  /** The call never reached a server that could handle it. */
  | 'not-handled'
  | 'late'
  /** The same append is in progress and not replicated yet. */
  | 'overtaken'
  /** The call may have been handled: the connection or the server failed before the answer. */
  | 'lost'
  /** The call was invalid. */
  | 'wrong'

/**
 * Messages that gRPC and the server send for calls that were not handled. If a later version changes a message, such a
 * call counts as lost. This is safe, because it is retried with the same ids.
 */
const notHandled =
  /No connection established|before call started|has been shut down|Failed to discover|Server Is Not Ready|Server Is Too Busy|Name resolution failed/i

function field(error: unknown, name: 'code' | 'type'): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
}

/**
 * Classifies an error of the client. For a server that is down, some errors have only a code and others only a type.
 */
export function troubleOf(error: unknown): Trouble {
  const code = field(error, 'code')
  switch (field(error, 'type')) {
    case 'wrong-expected-version':
      return 'conflict'
    case 'stream-not-found':
    case 'no-stream':
      return 'no-stream'
    case 'maximum-append-size-exceeded':
      return 'too-large'
    case 'access-denied':
      return 'refused'
    case 'not-leader':
      return 'not-handled'
    case 'deadline-exceeded':
      return 'late'
  }
  const text = messageOf(error)
  if (notHandled.test(text)) {
    const failure = tlsFailureOf(error)
    return failure === 'not-admitted' ? 'refused' : (failure ?? 'not-handled')
  }
  if (code === grpc.deadlineExceeded) return 'late'
  if (code === grpc.aborted) return 'overtaken'
  if (code === grpc.permissionDenied || code === grpc.unauthenticated) return 'refused'
  if (code === grpc.invalidArgument || code === grpc.unimplemented) return 'wrong'
  return typeof code === 'number' || field(error, 'type') !== undefined ? 'lost' : 'wrong'
}

/** Texts of errors that prove that nothing was written. */
const unavailableTexts = {
  'not-handled':
    'The event store cannot be reached. Check that it runs, that the connection string has its address, and that client and server both use TLS or both do not.',
  refused:
    'The event store refuses the user of the connection string. Check the name, the password, the certificate and the permissions.',
  untrusted: `The certificate of the event store is not trusted. ${trustAdvice('with tlsCaFile in the connection string')}`,
  'without-tls':
    'The event store does not use TLS at this address. Set tls=false in the connection string, or enable TLS on the server.',
} as const

function unavailable(trouble: keyof typeof unavailableTexts, cause: unknown): AssayError {
  return new AssayError('unavailable', unavailableTexts[trouble], { cause })
}

function wrong(cause: unknown): AssayError {
  return new AssayError('internal', `The event store did not understand the call: ${messageOf(cause)}`, { cause })
}

/** Translates errors of reads, which write nothing. */
export function readError(cause: unknown): AssayError {
  if (isAssayError(cause)) return cause
  const trouble = troubleOf(cause)
  switch (trouble) {
    case 'late':
      return new AssayError('timeout', 'The event store did not answer in time. Try again.', { cause })
    case 'overtaken':
    case 'lost':
      return unavailable('not-handled', cause)
    case 'not-handled':
    case 'refused':
    case 'untrusted':
    case 'without-tls':
      return unavailable(trouble, cause)
    case 'conflict':
    case 'no-stream':
    case 'too-large':
    case 'wrong':
      return wrong(cause)
    default:
      return trouble satisfies never
  }
}

export function unknownOutcome(cause: unknown): AssayError {
  const text = 'The event store did not confirm the append, which may have happened. Send it again with the same ids.'
  return new AssayError('unknown-outcome', text, { cause })
}

export function conflict(stream: string, expected: unknown, cause?: unknown): AssayError {
  return new AssayError('conflict', 'Another writer was first. Read the stream again and decide again.', {
    cause,
    details: { stream, expected },
  })
}

/** Translates the error of an append to `stream`. */
export function appendError(stream: string, expected: unknown, cause: unknown): AssayError {
  if (isAssayError(cause)) return cause
  const trouble = troubleOf(cause)
  switch (trouble) {
    case 'conflict':
      return conflict(stream, expected, cause)
    case 'too-large': {
      const text = 'The event store accepts only smaller batches. Start it with a maximum append size of 8 MiB.'
      return new AssayError('too-large', text, { cause })
    }
    case 'not-handled':
    case 'refused':
    case 'untrusted':
    case 'without-tls':
      return unavailable(trouble, cause)
    case 'late':
    case 'overtaken':
    case 'lost':
      return unknownOutcome(cause)
    case 'no-stream':
    case 'wrong':
      return wrong(cause)
    default:
      return trouble satisfies never
  }
}
