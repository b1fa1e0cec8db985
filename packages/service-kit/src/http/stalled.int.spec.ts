import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { closeStalled } from './stalled.ts'
import { createUnderWay } from './under-way.ts'

test('given readers of a large answer, when one reads nothing, then its connection is closed; a slow one gets everything', async () => {
  const size = 24 * 1024 * 1024
  const underWay = createUnderWay<ServerResponse>()
  const closed = Promise.withResolvers<string>()
  const server = createServer((request, response) => {
    underWay.add(response)
    response.on('close', () => {
      underWay.delete(response)
      if (request.url === '/stalled') closed.resolve(response.writableFinished ? 'finished' : 'closed')
    })
    response.end(Buffer.alloc(size))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = closeStalled(underWay, { stalledMs: 1_000, everyMs: 50 })
  const { port } = server.address() as AddressInfo
  const ask = (path: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
    return socket
  }
  const stalled = ask('/stalled').pause()
  let got = 0
  const began = performance.now()
  const slow = ask('/slow').on('data', (part: Buffer) => {
    got += part.length
    slow.pause()
    // Takes several times the limit in total, but is never idle for as long.
    setTimeout(() => slow.resume(), Math.max(0, (got / size) * 3_000 - (performance.now() - began)))
  })
  await new Promise((resolve) => slow.on('close', resolve))
  expect(got).toBeGreaterThan(size)
  expect(await closed.promise).toBe('closed')
  stalled.destroy()
  stop()
  await new Promise((resolve) => server.close(resolve))
})
