// The tests' event server in a separate process, so that its work does not delay the measuring process.
import { startGrpcServer } from '@assay/event-store/testing/grpc-server'

const server = await startGrpcServer()
process.send?.(server.connectionString)
process.once('disconnect', () => void server.stop().finally(() => process.exit(0)))
