import { systemTimers } from '@assay/service-kit/node'
import { jsonEvent } from '@eventstore/db-client'
import { expect, it } from 'vitest'
import { startGrpcServer } from '../testing/grpc-server/index.ts'
import { freshStream, newEvent } from '../testing/new-events.ts'
import { connect } from './connection.ts'
import { appendError } from './errors.ts'

it('given a connection that another call has just closed, when an append begins on it, then the append throws', async () => {
  const server = await startGrpcServer()
  const { client, close } = connect(server.connectionString, systemTimers)
  const { stream } = freshStream()
  const append = () => {
    const { id, type, data, metadata } = newEvent()
    return client.appendToStream(stream, jsonEvent({ id, type, data, metadata }))
  }
  await append()
  const channel = await Reflect.get(client, 'getChannel')()
  channel.close()
  const error: unknown = await append().catch((reason: unknown) => reason)
  expect(String(error)).toContain('shut down')
  expect(appendError(stream, 'any', error).code).toBe('unavailable')
  await close()
  await server.stop()
})
