import { tlsFailureOf, trustAdvice } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { S3ServiceException } from '@aws-sdk/client-s3'
import { systemCode, translated as translatedOfFiles } from '../filesystem/errors.ts'

/** The server's error code and HTTP status; `undefined` if the error is not from the server. */
function answered(error: unknown): { name: string; status: number } | undefined {
  return error instanceof S3ServiceException
    ? { name: error.name, status: error.$metadata.httpStatusCode ?? 0 }
    : undefined
}

/** Whether the object does not exist. A missing bucket is another error. */
export function isAbsent(error: unknown): boolean {
  const answer = answered(error)
  return answer !== undefined && answer.status === 404 && answer.name !== 'NoSuchBucket'
}

/** Whether the condition of a write failed, or a concurrent write of the same key was faster. */
export function isRefusedByCondition(error: unknown): boolean {
  const status = answered(error)?.status
  return status === 412 || status === 409
}

const sentences: { readonly [name: string]: string } = {
  NoSuchBucket: 'The bucket of the results does not exist. Create it, or check ASSAY_S3_BUCKET.',
  AccessDenied: 'Access to the bucket of the results is denied. Check the permissions of the access key.',
  InvalidAccessKeyId: 'The object store does not know the access key. Check the credentials of the results bucket.',
  SignatureDoesNotMatch: 'The object store refuses the secret key. Check the credentials of the results bucket.',
  CredentialsProviderError: 'There are no credentials for the object store. Set ASSAY_S3_ACCESS_KEY_ID and its secret.',
  XMinioStorageFull: 'The object store is full. Free some space and try again.',
  QuotaExceeded: 'The quota of the results bucket is used up. Free some space and try again.',
  XMinioAdminBucketQuotaExceeded: 'The quota of the results bucket is used up. Free some space and try again.',
  RequestTimeTooSkewed: 'The clock of this machine and that of the object store differ too much. Correct them.',
  PermanentRedirect: 'The bucket of the results is in another region. Check ASSAY_S3_REGION.',
  AuthorizationHeaderMalformed: 'The bucket of the results is in another region. Check ASSAY_S3_REGION.',
}

const unreachable = 'The object store of the results does not answer. Check that it is running and can be reached.'
const untrusted = `The certificate of the object store is not trusted. ${trustAdvice('in NODE_EXTRA_CA_CERTS')}`
const networkCode = /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|EPIPE|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_|SELF_)/

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

/**
 * Returns `unavailable` for a failing store, network or local disk, `internal` for other errors, and an AssayError
 * unchanged. The sentences contain no address and no key.
 */
export function translated(error: unknown): AssayError {
  if (isAssayError(error)) return error
  const known = sentences[nameOf(error)]
  if (known !== undefined) return new AssayError('unavailable', known, { cause: error })
  const answer = answered(error)
  if (answer?.status === 403) return new AssayError('unavailable', sentences.AccessDenied ?? '', { cause: error })
  if (answer !== undefined && (answer.status >= 500 || answer.status === 429))
    return new AssayError('unavailable', 'The object store of the results failed. Try again.', { cause: error })
  if (answer !== undefined)
    return new AssayError('internal', 'The object store of the results refused a request.', { cause: error })
  if (nameOf(error) === 'TimeoutError' || networkCode.test(systemCode(error) ?? ''))
    return new AssayError('unavailable', tlsFailureOf(error) === 'untrusted' ? untrusted : unreachable, {
      cause: error,
    })
  return translatedOfFiles(error)
}

/** Runs `work` with its errors translated. */
export async function translating<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translated(error)
  }
}
