import { startService } from './topology.ts'

/** Starts a service whose servers are down, prints its process id, and runs until it is killed. */
const [port = ''] = process.argv.slice(2)
const nowhere = '127.0.0.1:1'
const { pid, exited } = startService('notification', {
  PORT: port,
  ASSAY_HOST: '127.0.0.1',
  ASSAY_IDENTITY_SECRET: 'a secret of at least thirty-two characters',
  ASSAY_EVENTSTOREDB_URL: `esdb://${nowhere}?tls=false`,
  ASSAY_MONGODB_URL: `mongodb://${nowhere}/`,
  ASSAY_KAFKA_BROKERS: nowhere,
  ASSAY_EXECUTION_URL: `http://${nowhere}`,
  ASSAY_LOG_LEVEL: 'silent',
})
process.stdout.write(`${pid}\n`)
await exited
