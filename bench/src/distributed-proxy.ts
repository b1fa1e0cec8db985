// The baseline of the gateway: a proxy that only forwards requests, as cheaply as undici can. The handler of undici writes the
// parts of an answer to the response, without a stream in between. `node distributed-proxy.ts <upstream>`.
import { createServer } from 'node:http'
import { Pool } from 'undici'

const pool = new Pool(process.argv[2] ?? '', { connections: 200 })
const server = createServer((request, response) => {
  const { host: _, connection: __, ...headers } = request.headers
  pool.dispatch(
    { method: 'GET', path: request.url ?? '/', headers, body: null },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, answered) => void response.writeHead(status, answered),
      onResponseData(controller, chunk) {
        if (response.write(chunk)) return
        controller.pause()
        response.once('drain', () => controller.resume())
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  )
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
process.once('disconnect', () => process.exit(0))
