import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'

/** Names of kafkajs' errors that say that the cluster cannot be asked now. */
const away = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSNumberOfRetriesExceeded',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSTimeout',
  'KafkaJSLockTimeout',
])

/** Whether kafkajs itself says that the same may work later. */
const isRetriable = (error: Error) => 'retriable' in error && error.retriable === true

/** The error of a question to the cluster. `doing` completes "Kafka could not …". */
export function askingError(error: unknown, doing: string): AssayError {
  if (isAssayError(error)) return error
  if (!(error instanceof Error)) return new AssayError('internal', `Kafka could not ${doing}.`, { cause: error })
  if (error.name === 'KafkaJSSASLAuthenticationError')
    return new AssayError('unavailable', `Kafka could not ${doing}: it refuses the user or password.`, { cause: error })
  if (away.has(error.name) || isRetriable(error))
    return new AssayError('unavailable', `Kafka could not ${doing}: ${messageOf(error)}`, { cause: error })
  return new AssayError('internal', `Kafka could not ${doing}: ${messageOf(error)}`, { cause: error })
}

/** The error of a send that was rejected: the messages may be on the topic or not. */
export function sendingError(error: unknown): AssayError {
  if (isAssayError(error)) return error
  const type = error instanceof Error && 'type' in error ? error.type : undefined
  if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE')
    return new AssayError('too-large', 'The messages are larger than the topic takes: raise its max.message.bytes.', {
      cause: error,
    })
  if (type === 'TOPIC_AUTHORIZATION_FAILED' || type === 'CLUSTER_AUTHORIZATION_FAILED')
    return new AssayError('internal', 'Kafka does not let this user write: give it Write and IdempotentWrite.', {
      cause: error,
    })
  return new AssayError(
    'unknown-outcome',
    'Kafka did not confirm the messages, which may be stored or not: publish them again with the same ids.',
    { cause: error },
  )
}
