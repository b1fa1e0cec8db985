import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { S3ServiceException } from '@aws-sdk/client-s3'
import { systemCode, translated as translatedOfFiles } from '../filesystem/errors.ts'

/** The server's short name of an error and its HTTP status; `undefined` when it was none of the server's. */
function answered(error: unknown): { name: string; status: number } | undefined {
  return error instanceof S3ServiceException
    ? { name: error.name, status: error.$metadata.httpStatusCode ?? 0 }
    : undefined
}

/** Whether the server says that there is no such object. A bucket that is not there is another matter. */
export function isAbsent(error: unknown): boolean {
  const answer = answered(error)
  return answer !== undefined && answer.status === 404 && answer.name !== 'NoSuchBucket'
}

/** Whether the server says that the condition of a write does not hold, or that another write of the key was faster. */
export function isRefusedByCondition(error: unknown): boolean {
  const status = answered(error)?.status
  return status === 412 || status === 409
}

const sentences: { readonly [name: string]: string } = {
  NoSuchBucket: 'The bucket of the results is not there. Make it, or check ASSAY_S3_BUCKET.',
  AccessDenied: 'The bucket of the results may not be accessed. Check the rights of the key that is used.',
  InvalidAccessKeyId: 'The object store does not know the access key. Check the credentials of the results bucket.',
  SignatureDoesNotMatch: 'The object store refuses the secret key. Check the credentials of the results bucket.',
  CredentialsProviderError: 'There are no credentials for the object store. Set ASSAY_S3_ACCESS_KEY_ID and its secret.',
  XMinioStorageFull: 'The object store is full. Free some space and try again.',
  QuotaExceeded: 'The quota of the results bucket is used up. Free some space and try again.',
  XMinioAdminBucketQuotaExceeded: 'The quota of the results bucket is used up. Free some space and try again.',
  RequestTimeTooSkewed: 'The clock of this machine and that of the object store differ too much. Set them right.',
  PermanentRedirect: 'The bucket of the results is in another region. Check ASSAY_S3_REGION.',
  AuthorizationHeaderMalformed: 'The bucket of the results is in another region. Check ASSAY_S3_REGION.',
}

const unreachable = 'The object store of the results does not answer. Check that it is running and can be reached.'
const networkCode = /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|EPIPE|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_|SELF_)/

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

/**
 * `unavailable` for a store, a network or a local disk in trouble, `internal` for anything else. An AssayError stays as
 * it is. The sentences hold no address and no key.
 */
export function translated(error: unknown): AssayError {
  if (isAssayError(error)) return error
  const known = sentences[nameOf(error)]
  if (known !== undefined) return new AssayError('unavailable', known, { cause: error })
  const answer = answered(error)
  if (answer?.status === 403) return new AssayError('unavailable', sentences.AccessDenied ?? '', { cause: error })
  if (answer !== undefined && (answer.status >= 500 || answer.status === 429))
    return new AssayError('unavailable', 'The object store of the results is in trouble. Try again.', { cause: error })
  if (answer !== undefined)
    return new AssayError('internal', 'The object store of the results refused a request.', { cause: error })
  if (nameOf(error) === 'TimeoutError' || networkCode.test(systemCode(error) ?? ''))
    return new AssayError('unavailable', unreachable, { cause: error })
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
