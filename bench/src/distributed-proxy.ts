// The baseline of the gateway: a proxy that does nothing but carry requests. `node distributed-proxy.ts <upstream>`.
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'
import { Pool } from 'undici'

const pool = new Pool(process.argv[2] ?? '', { connections: 200 })
const server = createServer((request, response) => {
  const { host: _, connection: __, ...headers } = request.headers
  pool
    .request({ method: 'GET', path: request.url ?? '/', headers, body: null })
    .then(({ statusCode, headers: answered, body }) => {
      response.writeHead(statusCode, answered)
      pipeline(body, response, () => undefined)
    })
    .catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
process.once('disconnect', () => process.exit(0))
