import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Listening, listen } from './listen.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let http: Listening | undefined
afterEach(async () => {
  agent.destroy()
  await http?.close()
})

interface Answered {
  status: number | undefined
  connection: string | undefined
  isOldConnection: boolean
}

function ask(path: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port: http?.port, path, agent }, (answer: IncomingMessage) => {
      answer.resume()
      answer.once('end', () =>
        resolve({
          status: answer.statusCode,
          connection: answer.headers.connection,
          isOldConnection: asking.reusedSocket,
        }),
      )
    })
    asking.once('error', reject).end()
  })
}

describe('given a client that keeps its connection in use', () => {
  test('when the server closes, then the next request is answered with `Connection: close`, and the server closes', async () => {
    http = await listen((_request, response) => response.end('here'), { host: '127.0.0.1', port: 0 })
    expect(await ask('/')).toMatchObject({ connection: 'keep-alive' })
    const closed = http.close({ lingerMs: 60_000 })
    expect(await ask('/')).toEqual({ status: 200, connection: 'close', isOldConnection: true })
    await closed
    await expect(ask('/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test.each([
    ['/waiting', 'close'],
    ['/begun', 'keep-alive'],
  ])('when the server closes during %s, then its answer ends the connection', async (path, connection) => {
    const arrived = Promise.withResolvers<() => void>()
    http = await listen(
      (asked, response) => {
        if (asked.url === '/begun') response.write('be')
        arrived.resolve(() => response.end('gun'))
      },
      { host: '127.0.0.1', port: 0 },
    )
    const answer = ask(path)
    const end = await arrived.promise
    const closed = http.close({ lingerMs: 60_000 })
    end()
    expect(await answer).toMatchObject({ status: 200, connection })
    await closed
  })
})

test('given an idle connection, when the server closes, then the connection is closed after `lingerMs`', async () => {
  http = await listen((_request, response) => response.end('here'), { host: '127.0.0.1', port: 0 })
  await ask('/')
  await http.close({ lingerMs: 10 })
})

test('given a connection that has never sent anything, when the server closes, then the connection is closed after `lingerMs`', async () => {
  http = await listen((_request, response) => response.end('here'), { host: '127.0.0.1', port: 0 })
  const socket = connect(http.port, '127.0.0.1')
  await once(socket, 'connect')
  // Afterwards the server knows the first connection, because it accepts them in order.
  await ask('/')
  await Promise.all([once(socket, 'close'), http.close({ lingerMs: 10 })])
})
