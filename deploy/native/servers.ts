import { startGrpcServer } from '../../packages/event-store/src/testing/grpc-server/index.ts'
import { start as startKafka } from '../../tools/servers/kafka.mjs'
import { start as startMongo } from '../../tools/servers/mongodb.mjs'

/**
 * The three servers for manual work, until SIGINT or SIGTERM: Kafka, a server with MongoDB's protocol and one with
 * EventStoreDB's, each with temporary data. Prints the arguments of start.ts.
 */
const began = await Promise.allSettled([startKafka(), startMongo(), startGrpcServer()])
const stop = async (): Promise<void> => {
  for (const one of began) if (one.status === 'fulfilled') await one.value.stop()
}
const [kafka, mongo, events] = began
if (kafka.status === 'fulfilled' && mongo.status === 'fulfilled' && events.status === 'fulfilled') {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().then(() => process.exit(0)))
  const options = [
    `--kafka ${kafka.value.url}`,
    `--eventstoredb '${events.value.connectionString}'`,
    `--mongodb '${mongo.value.url}&retryWrites=false'`,
  ]
  process.stdout.write(`${options.join(' ')}\n`)
} else {
  await stop()
  throw began.find((one) => one.status === 'rejected')?.reason
}
