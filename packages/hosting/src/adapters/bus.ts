import { internalTopics } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { createParkedMessages, type Message, type MessageBus } from '@assay/message-bus'
import type { Clock, Logger, Outages, Timers } from '@assay/service-kit'
import type { Database } from '@assay/sqlite'
import { given, sqliteFile } from './stores.ts'
import { driverLogger, watchedBus } from './watching.ts'

/** The variables of `busVariables`, parsed. */
export interface BusChoice {
  ASSAY_BUS: 'kafka' | 'embedded'
  ASSAY_KAFKA_BROKERS?: readonly string[] | undefined
  ASSAY_KAFKA_PARTITIONS: number
  ASSAY_KAFKA_REPLICATION: number
  ASSAY_KAFKA_SESSION_TIMEOUT_MS: number
  ASSAY_KAFKA_PREFIX?: string | undefined
  ASSAY_KAFKA_TLS: 'on' | 'off'
  ASSAY_KAFKA_SASL?: 'plain' | 'scram-sha-256' | 'scram-sha-512' | undefined
  ASSAY_KAFKA_USERNAME?: string | undefined
  ASSAY_KAFKA_PASSWORD?: string | undefined
}

/** The next offset of each partition of a topic. */
export type PartitionOffsets = ReadonlyMap<number, number>
/** Reads all retained messages of a topic (`KafkaBus.readTopic`). */
export type ReadTopic = (
  topic: string,
  after: PartitionOffsets | undefined,
  handle: (message: Message) => Promise<void>,
) => Promise<PartitionOffsets>

/** A bus that also reports whether it makes progress. If it does not, the process must be restarted. */
export interface ChosenBus {
  bus: MessageBus
  isAlive(): boolean
  /** Groups that this process has not joined yet. */
  joining(): string[]
  /** `undefined` for a bus that deletes messages once every group has handled them. */
  readTopic: ReadTopic | undefined
}

/** Sentences of `/readyz` about groups that are not joined yet; they contain no secrets. */
export function waitingFor({ joining }: Pick<ChosenBus, 'joining'>): string[] {
  return joining().map((group) => `This process has not joined the group ${group} yet.`)
}

export interface BusDeps {
  service: string
  database?: Database | undefined
  /** The documents with the checkpoints, which also store Kafka's parked messages. */
  documents: Documents
  clock: Clock
  timers: Timers
  logger: Logger
  /** Reports outages of the cluster. If omitted, callers report each error. */
  outages?: Outages | undefined
}

function saslOf(choice: BusChoice) {
  const { ASSAY_KAFKA_SASL: mechanism, ASSAY_KAFKA_USERNAME: username, ASSAY_KAFKA_PASSWORD: password } = choice
  return mechanism === undefined || username === undefined || password === undefined
    ? {}
    : { sasl: { mechanism, username, password } }
}

/** The chosen bus. Loads only the chosen driver. Throws `unavailable` if the cluster does not answer. */
export async function chooseBus(choice: BusChoice, deps: BusDeps): Promise<ChosenBus> {
  const { service, clock, timers, logger, outages } = deps
  if (choice.ASSAY_BUS === 'embedded') {
    const { createEmbeddedBus } = await import('@assay/message-bus/embedded')
    const onError = (error: unknown) => logger.error({ error }, 'the message bus failed; it retries')
    const bus = createEmbeddedBus({ database: sqliteFile(deps.database), clock, timers, onError })
    return { bus, isAlive: () => bus.healthy(), joining: () => [], readTopic: undefined }
  }
  const { createKafkaBus } = await import('@assay/message-bus/kafka')
  const server = outages?.server('Kafka')
  const bus = await createKafkaBus({
    brokers: given(choice.ASSAY_KAFKA_BROKERS, 'ASSAY_KAFKA_BROKERS'),
    clientId: `assay-${service}`,
    parkedMessages: createParkedMessages(deps.documents),
    partitions: choice.ASSAY_KAFKA_PARTITIONS,
    replication: choice.ASSAY_KAFKA_REPLICATION,
    sessionTimeoutMs: choice.ASSAY_KAFKA_SESSION_TIMEOUT_MS,
    // Not awaited: a killed member blocks its group until its session expires, and requests must be served meanwhile.
    joinTimeoutMs: 0,
    ssl: choice.ASSAY_KAFKA_TLS === 'on',
    ...saslOf(choice),
    compacted: Object.values(internalTopics),
    ...(choice.ASSAY_KAFKA_PREFIX === undefined ? {} : { prefix: choice.ASSAY_KAFKA_PREFIX }),
    clock,
    timers,
    logger: server === undefined ? logger : driverLogger(logger, server),
  })
  const watched = server === undefined ? bus : watchedBus(bus, server)
  return { bus: watched, isAlive: () => bus.healthy(), joining: bus.joining, readTopic: bus.readTopic }
}
