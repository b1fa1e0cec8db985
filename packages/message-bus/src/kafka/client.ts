import type { Logger } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type Admin, Kafka, type KafkaConfig, logLevel, Partitioners, type Producer } from 'kafkajs'

export interface Connection {
  brokers: readonly string[]
  clientId: string
  /** Whether to use TLS, with the system's certificates. */
  ssl?: boolean | undefined
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string } | undefined
}

export interface Client {
  kafka: Kafka
  admin: Admin
  makeProducer(): Producer
}

function saslOf(sasl: Connection['sasl']): Pick<KafkaConfig, 'sasl'> {
  if (sasl === undefined) return {}
  const { mechanism, username, password } = sasl
  switch (mechanism) {
    case 'plain':
      return { sasl: { mechanism, username, password } }
    case 'scram-sha-256':
      return { sasl: { mechanism, username, password } }
    case 'scram-sha-512':
      return { sasl: { mechanism, username, password } }
    default:
      return mechanism satisfies never
  }
}

/** The driver, with settings under which it loses no messages. */
export function createClient(connection: Connection, logger: Logger | undefined): Client {
  const config: KafkaConfig = {
    clientId: connection.clientId,
    brokers: [...connection.brokers],
    connectionTimeout: 3000,
    requestTimeout: 30_000,
    logLevel: logLevel.WARN,
    logCreator:
      () =>
      ({ namespace, level, log: { message, error } }) => {
        const about = { part: namespace, ...(error === undefined ? {} : { error }) }
        // The driver logs lost connections as errors, but they are expected.
        if (level === logLevel.ERROR) logger?.warn(about, message)
        else logger?.info(about, message)
      },
    ...(connection.ssl === undefined ? {} : { ssl: connection.ssl }),
    ...saslOf(connection.sasl),
  }
  const kafka = new Kafka({ ...config, retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1000 } })
  // With the driver's default of five attempts, a send that was stored can be reported as failed, and the next one is
  // lost.
  const retrying = new Kafka({ ...config, retry: { retries: 200, initialRetryTime: 200, maxRetryTime: 2000 } })
  const admin = kafka.admin()
  if (typeof admin.fetchRecords !== 'function')
    throw new AssayError('internal', 'kafkajs lacks its patch. Install it with patches/kafkajs@2.2.4.patch.')
  return {
    kafka,
    admin,
    makeProducer: () =>
      retrying.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        createPartitioner: Partitioners.DefaultPartitioner,
      }),
  }
}
