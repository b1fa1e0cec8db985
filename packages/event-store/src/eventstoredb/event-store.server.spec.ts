import { type GrpcServer, startGrpcServer } from '../testing/grpc-server/index.ts'
import { eventStoreFeatures } from '../testing/index.ts'
import { createEventStoreDb } from './event-store.ts'

/** The address of a real server, if given. Its maximum append size must be at least 8 MiB. */
const real = process.env.ASSAY_TEST_EVENTSTOREDB

eventStoreFeatures(real === undefined ? 'EventStoreDB (server for tests)' : 'EventStoreDB', async () => {
  const server: GrpcServer | undefined = real === undefined ? await startGrpcServer() : undefined
  const connectionString = server?.connectionString ?? real ?? ''
  let current = createEventStoreDb({ connectionString })
  return {
    store: current,
    async reopen() {
      await current.close()
      current = createEventStoreDb({ connectionString })
      return current
    },
    async close() {
      await current.close()
      await server?.stop()
    },
  }
})
