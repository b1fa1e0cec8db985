import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { EventStoreDBClient } from '@eventstore/db-client'
import { clientOf } from './client.ts'

export interface Connection {
  client: EventStoreDBClient
  /** Ends open calls and closes the connection. */
  close(): Promise<void>
}

/** How long a close waits for the calls that it cancelled. */
const disposeMs = 1000

type Work = (...values: unknown[]) => Promise<unknown>

/** A function of the client that its types lack. Throws `internal` if the client no longer has it. */
function innerFunction(client: EventStoreDBClient, name: string): Work {
  const found: unknown = Reflect.get(client, name)
  if (typeof found !== 'function') {
    throw new AssayError('internal', `The client of the event store has no "${name}". Use the version of package.json.`)
  }
  return (...values) => found.apply(client, values)
}

/** `SHUTDOWN` among gRPC's connection states (https://grpc.io/docs/guides/connectivity-semantics-and-api/). */
const shutDown = 4

function isShutDown(service: unknown): boolean {
  if (typeof service !== 'object' || service === null) return false
  if (!('getChannel' in service) || typeof service.getChannel !== 'function') return false
  return service.getChannel().getConnectivityState(false) === shutDown
}

/**
 * Version 6.2.1 of the client, with workarounds for three of its bugs:
 * - The client uses batch appends if the server offers them. All clients of a process share one table of pending batch
 *   appends, and an error in one append empties it. If an answer then arrives for an append that is no longer in the
 *   table, it throws inside an event handler. No deadline ends the wait. Here the client assumes a server without
 *   optional features, so each append is a separate call with a deadline.
 * - An append that starts just when another call has found the connection dead uses a closed channel. The client then
 *   throws where nothing can catch it, which ends the process, and never answers the append.
 * - A failure of the client's search for another cluster node is an unhandled rejection, which ends the process.
 */
export function connect(connectionString: string, timers: Timers): Connection {
  const client = clientOf(connectionString)
  const handleError = innerFunction(client, 'handleError')
  const getChannel = innerFunction(client, 'getChannel')
  const execute = innerFunction(client, 'execute')
  let used = false
  Reflect.set(client, 'supports', async () => false)
  Reflect.set(client, 'handleError', (...values: unknown[]) => handleError(...values).catch(() => undefined))
  Reflect.set(client, 'execute', (kind: unknown, name: unknown, begin: Work) =>
    execute(kind, name, async (service: unknown) => {
      if (isShutDown(service)) throw new Error('The connection has been shut down.')
      return begin(service)
    }),
  )
  Reflect.set(client, 'getChannel', () => {
    used = true
    return getChannel()
  })
  return {
    client,
    async close() {
      // `dispose` waits for cancelled streams, sometimes forever.
      const disposed = new AbortController()
      const disposing = client.dispose().finally(() => disposed.abort())
      await Promise.race([disposing, timers.sleep(disposeMs, disposed.signal)])
      if (!used) return
      const channel = await getChannel().catch(() => undefined)
      if (
        typeof channel === 'object' &&
        channel !== null &&
        'close' in channel &&
        typeof channel.close === 'function'
      ) {
        channel.close()
      }
    },
  }
}
