import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { StoreTarget } from '../../../stores/target.ts'
import { refused } from '../failures.ts'

/** The part of a driver's error that determines the sentence. */
interface Answered {
  /** The error code of the store or of the network. */
  code: string
  /** The HTTP status; 0 without an answer. */
  status: number
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function answeredBy(error: unknown): Answered {
  if (!(error instanceof Error)) return { code: '', status: 0 }
  const metadata = '$metadata' in error && typeof error.$metadata === 'object' ? error.$metadata : null
  const status = metadata !== null && 'httpStatusCode' in metadata ? Number(metadata.httpStatusCode ?? 0) : 0
  const own = 'code' in error ? textOf(error.code) : ''
  const cause = error.cause === undefined ? '' : answeredBy(error.cause).code
  const network = /^(E[A-Z]|CERT_|UNABLE_|SELF_|DEPTH_)/.test(own) ? own : cause
  return { code: status === 0 && network !== '' ? network : error.name, status }
}

const network: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens at {at}. Check the endpoint, and whether the store accepts connections from here.',
  EHOSTUNREACH: '{at} cannot be reached through the network.',
  ENETUNREACH: '{at} cannot be reached through the network.',
  ENOTFOUND: 'The host {host} was not found. Check its name.',
  EAI_AGAIN: 'The host {host} was not found. Check its name.',
  EPROTO:
    'TLS was refused: {at} supports no protocol version that Assay supports. Check whether its address begins with http or https.',
  ECONNRESET: '{at} ended the connection. Check whether an S3-compatible store listens there.',
}

const store: Readonly<Record<string, string>> = {
  NoSuchBucket: 'There is no bucket "{bucket}" in the store.',
  InvalidAccessKeyId: 'The store does not know the access key "{key}". Check accessKeyId.',
  SignatureDoesNotMatch: 'The store refused the secret of the access key "{key}". Check secretAccessKey.',
  RequestTimeTooSkewed: 'The clocks of this machine and of the store differ too much. Correct them.',
  PermanentRedirect: 'The bucket "{bucket}" is in another region or store. Check region and endpoint.',
  AuthorizationHeaderMalformed: 'The bucket "{bucket}" is in another region. Check region.',
  SlowDown: 'The store limits the number of requests. Try again later.',
  ServiceUnavailable: 'The store does not answer requests at the moment. Try again later.',
}

const isCertificate = (code: string) => /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_)/.test(code)
const isTimeout = (code: string) => code === 'TimeoutError' || code === 'ETIMEDOUT' || code === 'ESOCKETTIMEDOUT'

/** Failures that a repeated request may not meet. */
export function isTransient(error: unknown): boolean {
  const { code, status } = answeredBy(error)
  return (
    status >= 500 ||
    isTimeout(code) ||
    /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|AbortError)$/.test(code) ||
    code === 'Error'
  )
}

function sentenceOf({ code, status }: Answered): string {
  const known = network[code] ?? store[code]
  if (known !== undefined) return known
  if (isCertificate(code))
    return 'TLS was refused: the certificate of the store is not trusted, has expired or is of another host. Set tlsCa.'
  if (isTimeout(code)) return '{at} did not answer in time.'
  if (status === 301 || status === 307) return store.PermanentRedirect ?? ''
  if (status === 403) return 'The access key "{key}" has no right to list the bucket "{bucket}" (s3:ListBucket).'
  if (status >= 500) return store.ServiceUnavailable ?? ''
  return 'The server at {at} did not answer as an S3-compatible store.'
}

/** The failure of a request about a bucket. Never contains the driver's own message. */
export function storeFailure(error: unknown, target: StoreTarget): AssayError {
  if (isAssayError(error)) return error
  const { host, port } = new URL(target.endpoint)
  const sentence = sentenceOf(answeredBy(error))
    .replaceAll('{at}', port === '' ? target.host : host)
    .replaceAll('{host}', target.host)
    .replaceAll('{bucket}', target.bucket)
    .replaceAll('{key}', target.accessKeyId)
  return new AssayError('unprocessable', sentence, { cause: error })
}

export const changed = 'changed while it was being read: run it again'

/** The failure of a request about an object. `name`: relative to the source. */
export function objectFailure(error: unknown, target: StoreTarget, name: string): AssayError {
  if (isAssayError(error)) return error
  const { code, status } = answeredBy(error)
  if (status === 412 || code === 'NoSuchKey' || code === 'NotFound') return refused(name, changed)
  if (code === 'InvalidObjectState') return refused(name, 'is archived in the store: restore it there')
  if (status === 403 && store[code] === undefined)
    return refused(name, 'may not be read: the access key of the source has no right to it (s3:GetObject)')
  const { message } = storeFailure(error, target)
  return new AssayError('unprocessable', `${name} could not be read. ${message}`, { cause: error })
}
