import { createServer, type Server } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type DatabaseSource, isDatabaseSource, source } from '../dataset.ts'
import { createMysqlEngine } from '../mysql/engine.ts'
import { createPostgresEngine } from '../postgres/engine.ts'
import { createTrinoEngine } from '../trino/engine.ts'
import type { Reach } from './reach.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** Starts a server that accepts connections and never answers, and returns its port. */
async function silentServer(onConnection: () => void): Promise<number> {
  const started = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined).resume()
    onConnection()
  })
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  const address = started.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}

const engines = { POSTGRESQL: createPostgresEngine, MARIADB: createMysqlEngine, TRINO: createTrinoEngine } as const

function sourceOn(sourceType: keyof typeof engines, port: number): DatabaseSource {
  const place = sourceType === 'TRINO' ? { url: `http://127.0.0.1:${port}`, catalog: 'c' } : { host: '127.0.0.1', port }
  const database = sourceType === 'TRINO' ? {} : { database: 'd', password: 'p' }
  const parsed = source.parse({ sourceType, user: 'u', ...place, ...database, connectTimeoutSeconds: 60 })
  if (!isDatabaseSource(parsed)) throw new Error('It is not a database.')
  return parsed
}

it.each(['POSTGRESQL', 'MARIADB', 'TRINO'] as const)(
  'given a server of %s that does not answer, when opening it is aborted, then it ends long before the time limit of the source',
  async (sourceType) => {
    const stop = new AbortController()
    const port = await silentServer(() => stop.abort(new Error('too late')))
    const of = sourceOn(sourceType, port)
    const reach: Reach = (_of, _call, work) => work({ source: of, addresses: ['127.0.0.1'], password: of.password })
    const engine = engines[sourceType]({ reach, clock: { now: () => Date.now() } })
    await expect(engine.probe(of, { signal: stop.signal })).rejects.toThrow()
    await engine.close()
  },
)
