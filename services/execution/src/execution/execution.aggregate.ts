import type { Aggregate } from '@assay/event-store'
import { decide, type ExecutionCommand } from './decide.ts'
import { executionDocuments } from './execution.documents.ts'
import { type ExecutionEvent, type ExecutionState, evolve, noExecution } from './execution.ts'

/** Streams `<tenant>/execution-<id>`. */
export const executionAggregate: Aggregate<ExecutionState, ExecutionCommand, ExecutionEvent> = {
  category: 'execution',
  decider: { initialState: noExecution, decide, evolve },
  schemaVersion: 1,
  documents: executionDocuments,
}
