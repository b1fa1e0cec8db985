import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { createFastSet } from './fast-set.ts'
import { closeStalled } from './stalled.ts'

test('given readers of a large answer, then the connection of one that reads nothing is closed, unless it reads events, and a slow one gets all of it', async () => {
  const size = 24 * 1024 * 1024
  const inProgress = createFastSet<ServerResponse>()
  const closed = Promise.withResolvers<string>()
  const server = createServer((request, response) => {
    inProgress.add(response)
    response.on('close', () => {
      inProgress.delete(response)
      if (request.url === '/stalled') closed.resolve(response.writableFinished ? 'finished' : 'closed')
    })
    if (request.url === '/events') response.setHeader('content-type', 'text/event-stream; charset=utf-8')
    response.end(Buffer.alloc(size))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = closeStalled(inProgress, { stalledMs: 1_000, everyMs: 50 })
  const { port } = server.address() as AddressInfo
  const ask = (path: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
    return socket
  }
  const late = ask('/events').pause()
  const stalled = ask('/stalled').pause()
  let got = 0
  const began = performance.now()
  const slow = ask('/slow').on('data', (part: Buffer) => {
    got += part.length
    slow.pause()
    // Takes several times the limit in total, but is never idle for the limit.
    setTimeout(() => slow.resume(), Math.max(0, (got / size) * 3_000 - (performance.now() - began)))
  })
  await new Promise((resolve) => slow.on('close', resolve))
  expect(got).toBeGreaterThan(size)
  expect(await closed.promise).toBe('closed')
  stalled.destroy()
  let gotLate = 0
  late.on('data', (part: Buffer) => {
    gotLate += part.length
  })
  late.resume()
  await new Promise((resolve) => late.on('close', resolve))
  expect(gotLate).toBeGreaterThan(size)
  stop()
  await new Promise((resolve) => server.close(resolve))
})
