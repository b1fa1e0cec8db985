import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@assay/sqlite'
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import featuresMessages from '@eventstore/db-client/generated/serverfeatures_pb.js'
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { Server, status } from '@grpc/grpc-js'
import { createSqliteEventStore } from '../../sqlite/event-store.ts'
import { type Admission, authInterceptor, serverCredentials } from './admission.ts'
import { createAppending, failure } from './appending.ts'
import type { Faults } from './faults.ts'
import { createReading } from './reading.ts'

/** Name of the file with the events in the server's folder. */
export const eventsFile = 'events.db'

const largestMessage = 17 * 1024 * 1024

/** The server from a start to the next kill. */
export interface Running {
  port: number
  close(): Promise<void>
}

/** Serves the events in `folder` on a free port of loopback. */
export async function run(options: {
  folder: string
  maxAppendBytes: number
  faults: Faults
  /** If absent, clients need no credentials, and authorizations are not recorded. */
  admission: Admission | undefined
  /** Gets the name of each call. */
  calls: string[]
  /** Gets the authorization of each call. */
  authorizations: (string | undefined)[]
  /** Cuts the connections of all clients. */
  cut: () => void
}): Promise<Running> {
  const { folder, maxAppendBytes, faults, admission, calls, authorizations, cut } = options
  const database = openDatabase({ path: join(folder, eventsFile) })
  const store = createSqliteEventStore({ database, clock: { now: Date.now } })
  const pause = async (): Promise<void> => {
    if (faults.delayMs > 0) await delay(faults.delayMs)
  }
  const server = new Server({
    'grpc.max_receive_message_length': largestMessage,
    interceptors: admission ? [authInterceptor(admission, (authorization) => authorizations.push(authorization))] : [],
  })
  const appending = createAppending({ store, faults, maxAppendBytes, pause, cut })
  const reading = createReading({ store, faults, pause })
  const unknown = (name: string) => (_call: unknown, send: (error: object) => void) => {
    calls.push(name)
    send(failure(status.UNIMPLEMENTED, `${name} is not offered by the server for tests.`))
  }
  server.addService(streams.StreamsService, {
    append(...values: Parameters<typeof appending>) {
      calls.push('append')
      appending(...values)
    },
    read(...values: Parameters<typeof reading>) {
      calls.push('read')
      reading(...values)
    },
    delete: unknown('delete'),
    tombstone: unknown('tombstone'),
    batchAppend(call: { emit(name: 'error', error: object): void }) {
      calls.push('batchAppend')
      call.emit('error', failure(status.UNIMPLEMENTED, 'Batch appends are not offered by the server for tests.'))
    },
  })
  server.addService(features.ServerFeaturesService, {
    getSupportedMethods(_call: unknown, send: (error: null, methods: object) => void) {
      calls.push('getSupportedMethods')
      const methods = new featuresMessages.SupportedMethods().setEventStoreServerVersion('23.10.0')
      const batch = new featuresMessages.SupportedMethod().setMethodName('batchappend')
      methods.addMethods(batch.setServiceName('event_store.client.streams.streams'))
      send(null, methods)
    },
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', serverCredentials(admission), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return {
    port,
    async close() {
      server.forceShutdown()
      await store.close()
      await database.close()
    },
  }
}
