import { rootOf, tlsFailureOf, trustAdvice } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'

/** kafkajs errors that mean that the cluster is unavailable. */
const unavailableErrors = new Set([
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

/** Whether kafkajs itself considers the error transient. */
const isRetriable = (error: Error) => 'retriable' in error && error.retriable === true

const unsupportedMechanism = new Set(['UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE'])

/** Why the cluster refuses the connection, and what to do; `undefined` if the reason is unknown. */
function refusalOf(error: Error): string | undefined {
  const root = rootOf(error)
  if (!(root instanceof Error)) return undefined
  const type = 'type' in root && typeof root.type === 'string' ? root.type : ''
  if (unsupportedMechanism.has(type) || /is not supported by the server/.test(root.message))
    return 'it has no users at this port, or another mechanism. Check ASSAY_KAFKA_SASL and the port.'
  if (root.name === 'KafkaJSSASLAuthenticationError') return 'it refuses the user or password.'
  const failure = tlsFailureOf(root)
  if (failure === 'untrusted') return `its certificate is not trusted. ${trustAdvice('in NODE_EXTRA_CA_CERTS')}`
  if (failure === 'without-tls')
    return 'it does not use TLS at this address. Set ASSAY_KAFKA_TLS=off, or use the port with TLS.'
  if (root.name === 'KafkaJSConnectionClosedError')
    return 'it closed the connection. If that persists, only one side uses TLS, or it requires a user.'
  return undefined
}

/** The error of a request to the cluster. `doing` completes "Kafka could not …". */
export function requestError(error: unknown, doing: string): AssayError {
  if (isAssayError(error)) return error
  if (!(error instanceof Error)) return new AssayError('internal', `Kafka could not ${doing}.`, { cause: error })
  const refusal = refusalOf(error)
  if (refusal !== undefined)
    return new AssayError('unavailable', `Kafka could not ${doing}: ${refusal}`, { cause: error })
  if (unavailableErrors.has(error.name) || isRetriable(error))
    return new AssayError('unavailable', `Kafka could not ${doing}: ${messageOf(error)}`, { cause: error })
  return new AssayError('internal', `Kafka could not ${doing}: ${messageOf(error)}`, { cause: error })
}

/** The error of a rejected send. The messages may be stored. */
export function sendingError(error: unknown): AssayError {
  if (isAssayError(error)) return error
  const type = error instanceof Error && 'type' in error ? error.type : undefined
  if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE')
    return new AssayError('too-large', 'The messages are larger than the topic accepts. Raise its max.message.bytes.', {
      cause: error,
    })
  if (type === 'TOPIC_AUTHORIZATION_FAILED' || type === 'CLUSTER_AUTHORIZATION_FAILED')
    return new AssayError('internal', 'Kafka does not allow this user to write. Grant it Write and IdempotentWrite.', {
      cause: error,
    })
  return new AssayError(
    'unknown-outcome',
    'Kafka did not confirm the messages, which may be stored. Publish them again with the same ids.',
    { cause: error },
  )
}
