import { createServer, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { busOver } from './bus-over.fixture.ts'

const askingForVersions = 18
const versionsOf = [
  { key: 3, from: 0, to: 5 },
  { key: askingForVersions, from: 0, to: 2 },
]

/** The answers of a broker that accepts connections but sends too few bytes for all other requests. */
function answerOf(question: Buffer): Buffer {
  const correlation = question.subarray(8, 12)
  const body =
    question.readInt16BE(4) === askingForVersions ? Buffer.alloc(2 + 4 + 6 * versionsOf.length + 4) : Buffer.alloc(1)
  if (body.length > 1) {
    body.writeInt32BE(versionsOf.length, 2)
    for (const [at, { key, from, to }] of versionsOf.entries())
      for (const [part, value] of [key, from, to].entries()) body.writeInt16BE(value, 6 + 6 * at + 2 * part)
  }
  const size = Buffer.alloc(4)
  size.writeInt32BE(correlation.length + body.length)
  return Buffer.concat([size, correlation, body])
}

const connections = new Set<Socket>()
const server = createServer((socket) => {
  connections.add(socket)
  socket.on('close', () => connections.delete(socket))
  socket.on('error', () => undefined)
  socket.on('data', (question) => socket.write(answerOf(question)))
})
afterEach(async () => {
  for (const socket of connections) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

it('given a cluster that accepts connections but answers no request, when a bus is opened, then no connection is left open', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  const opened = busOver([`127.0.0.1:${address.port}`])
  await expect(opened).rejects.toThrow('Kafka could not be reached')
  await vi.waitFor(() => expect(connections.size).toBe(0), { timeout: 10_000, interval: 20 })
})
