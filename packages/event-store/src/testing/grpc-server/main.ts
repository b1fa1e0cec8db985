import { startGrpcServer } from './start.ts'

// In a container, HOST and PORT are the address to listen on.
const { HOST = '127.0.0.1', PORT = '2113' } = process.env
const server = await startGrpcServer({ host: HOST, port: Number(PORT) })
process.stdout.write(`The test event server listens on ${HOST}:${server.port}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.stop().then(() => process.exit(0)))
