import { AssayError, isAssayError } from '@assay/service-kit/errors'

const reasons: Readonly<Record<string, string>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'does not exist in the cluster: crawl the source again, or create the topic',
  TOPIC_AUTHORIZATION_FAILED: 'may not be read: allow clients without a user to describe and read it',
  CLUSTER_AUTHORIZATION_FAILED: 'may not be read: allow clients without a user to describe the cluster',
  OFFSET_OUT_OF_RANGE: 'lost its oldest messages while it was read: start the run again',
}

const typeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  if ('type' in error && typeof error.type === 'string') return error.type
  return typeOf(error.cause)
}

/** The error of a failed request. `name`: the topic, or the addresses of the cluster. Contains no user data. */
export function topicFailure(error: unknown, name: string): AssayError {
  if (isAssayError(error)) return error
  const reason =
    reasons[typeOf(error) ?? ''] ?? 'cannot be read: no broker answers. Check the addresses and the network'
  return new AssayError('unprocessable', `${name} ${reason}.`, { cause: error })
}
