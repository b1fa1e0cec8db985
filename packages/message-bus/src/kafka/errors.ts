import { rootOf, tlsFailureOf, trustAdvice } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'

/** kafkajs errors that mean that the cluster is unavailable. */
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

/** Whether kafkajs itself considers the error transient. */
const isRetriable = (error: Error) => 'retriable' in error && error.retriable === true

const noSuchWay = new Set(['UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE'])

/** The fault of the connection, and what to do about it; `undefined` if it is not clear. */
function refusalOf(error: Error): string | undefined {
  const root = rootOf(error)
  if (!(root instanceof Error)) return undefined
  const type = 'type' in root && typeof root.type === 'string' ? root.type : ''
  if (noSuchWay.has(type) || /is not supported by the server/.test(root.message))
    return 'it knows no users there, or not by this mechanism. See ASSAY_KAFKA_SASL and the port.'
  if (root.name === 'KafkaJSSASLAuthenticationError') return 'it refuses the user or password.'
  const failure = tlsFailureOf(root)
  if (failure === 'untrusted') return `its certificate is not trusted. ${trustAdvice('in NODE_EXTRA_CA_CERTS')}`
  if (failure === 'without-tls')
    return 'it does not use TLS at this address. Set ASSAY_KAFKA_TLS=off, or use the port with TLS.'
  if (root.name === 'KafkaJSConnectionClosedError')
    return 'it closed the connection. Where that stays so, one side alone has TLS, or it asks for a user.'
  return undefined
}

/** The error of a request to the cluster. `doing` completes "Kafka could not …". */
export function askingError(error: unknown, doing: string): AssayError {
  if (isAssayError(error)) return error
  if (!(error instanceof Error)) return new AssayError('internal', `Kafka could not ${doing}.`, { cause: error })
  const refusal = refusalOf(error)
  if (refusal !== undefined)
    return new AssayError('unavailable', `Kafka could not ${doing}: ${refusal}`, { cause: error })
  if (away.has(error.name) || isRetriable(error))
    return new AssayError('unavailable', `Kafka could not ${doing}: ${messageOf(error)}`, { cause: error })
  return new AssayError('internal', `Kafka could not ${doing}: ${messageOf(error)}`, { cause: error })
}

/** The error of a rejected send: the messages may be on the topic or not. */
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
