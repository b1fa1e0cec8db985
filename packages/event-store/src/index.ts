export { withKnownOutcomes, withKnownOutcomesOf } from './append-again.ts'
export type { Checkpoints, ParkedStream } from './checkpoints.ts'
export {
  type CommandContext,
  type CommandHandler,
  type CommandRequest,
  createCommandHandler,
  type Handled,
} from './command-handler.ts'
export { type Append, type Commit, createCommit } from './commit.ts'
export {
  type Aggregate,
  type AggregateKey,
  type AnyAggregate,
  type Decider,
  type DomainEvent,
  eventOf,
  fold,
} from './decider.ts'
export { checkpointCollections, createDocumentCheckpoints } from './document-checkpoints.ts'
export { jsonBytes } from './json.ts'
export { createLeaderElection, type LeaderElection, type LeaderWork } from './leader-election.ts'
export { createLeases, type Lease, type Leases } from './lease.ts'
export { createLeasedProcessors, type MakeProcessor, type ProcessorDeps } from './leased-processor.ts'
export { checkedStreamName, type EncodedEvent, encodeEvents, maxBatchBytes, maxEventBytes } from './limits.ts'
export { notingWrites } from './noting-writes.ts'
export { observedCommit } from './observed-commit.ts'
export {
  type Appended,
  comparePositions,
  type EventMetadata,
  type EventStore,
  type ExpectedRevision,
  type JsonObject,
  type JsonValue,
  type LogFilter,
  type LogSlice,
  type NewEvent,
  type Position,
  parseStreamName,
  type RecordedEvent,
  type StreamSlice,
  streamName,
} from './port.ts'
export { createProcessor, type Processor, type ProcessorOptions } from './processor.ts'
export { createReadYourWrites, type Missing, type ReadYourWrites, type Seen } from './read-your-writes.ts'
export { type RebuildTarget, type Rebuilt, rebuild } from './rebuild.ts'
export { createRepair } from './repair.ts'
export { createReservations, holdMilliseconds, type Reservations } from './reservation.ts'
export { retryOnConflict } from './retry-on-conflict.ts'
export { createNumberBlocks, type NumberBlocks } from './sequence.ts'
export { streamSnapshots } from './snapshots.ts'
export type { Loaded } from './state-cache.ts'
export { type Around, createStatesAround, type StatesAround } from './states-around.ts'
export { parseState, type StreamState, stateText } from './stream-state.ts'
