export type { Faults } from './faults.ts'
export { type GrpcServer, startGrpcServer } from './start.ts'
