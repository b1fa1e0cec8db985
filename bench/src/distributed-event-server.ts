// The tests' event server as a process of its own, so that its work is not in the loop that measures.
import { startGrpcServer } from '@assay/event-store/testing/grpc-server'

const server = await startGrpcServer()
process.send?.(server.connectionString)
process.once('disconnect', () => void server.stop().finally(() => process.exit(0)))
