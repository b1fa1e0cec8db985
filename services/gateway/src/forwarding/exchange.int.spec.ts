import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dispatcher } from 'undici'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { exchange } from './exchange.ts'

let server: Server
let response: ServerResponse
let handler: Dispatcher.DispatchHandler
const failed = vi.fn<(error: Error) => void>()
const controller = { paused: false, aborted: false, reason: null, pause: vi.fn(), resume: vi.fn(), abort: vi.fn() }
/** The service; the test sends the parts of its answers. */
const service: Pick<Dispatcher, 'dispatch'> = {
  dispatch(_wanted, given) {
    handler = given
    return true
  },
}

beforeEach(async () => {
  const asked = Promise.withResolvers<ServerResponse>()
  server = createServer((_request, given) => asked.resolve(given))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  void fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
  response = await asked.promise
  response.on('error', failed)
})
afterEach(async () => {
  vi.clearAllMocks()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function begun(): Promise<void> {
  const { over } = exchange(service, { path: '/', method: 'GET' }, response, {
    onHead: () => undefined,
    onCut: () => undefined,
  })
  handler.onRequestStart?.(controller, undefined)
  handler.onResponseStart?.(controller, 200, {})
  handler.onResponseData?.(controller, Buffer.from('some'))
  return over
}

test('given an answer that the gateway has ended, when more data arrives, then the data is dropped without an error', async () => {
  const over = begun()
  response.end()
  handler.onResponseData?.(controller, Buffer.from('more'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(failed).not.toHaveBeenCalled()
  expect(controller.abort).toHaveBeenCalledOnce()
  await over
})
