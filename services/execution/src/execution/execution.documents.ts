import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import { type Execution, type ExecutionState, execution, hasEnded } from './execution.ts'
import { executionStatusOf, resultStatusOf } from './statuses.ts'

/** One document for each run: its whole state. Lists filter and sort by the fields. Times are epoch milliseconds. */
export const executions = defineCollection<Execution>({
  name: 'executions',
  version: 7,
  idType: 'integer',
  schema: execution,
  fields: {
    policyId: { type: 'integer', of: ({ run }) => run.policy.rule.id },
    ruleName: { type: 'text', of: ({ run }) => run.policy.rule.name },
    ruleType: { type: 'text', of: ({ run }) => run.policy.rule.type },
    executionStatus: { type: 'text', of: executionStatusOf },
    resultStatus: { type: 'text', of: resultStatusOf },
    startedAt: { type: 'integer', of: ({ run }) => Date.parse(run.startedAt), required: true },
    finishedAt: { type: 'integer', of: (state) => (hasEnded(state) ? Date.parse(state.finishedAt) : null) },
    assemblyId: { type: 'integer', of: ({ run }) => run.table.assemblyId },
    sourceTypeId: { type: 'integer', of: ({ run }) => run.table.sourceTypeId },
    /** Whether there may still be rows of it, or of an attempt that came to nothing. */
    rowsKept: {
      type: 'boolean',
      of: (state) => hasEnded(state) && state.attempts !== 0 && state.rowsRemovedAt === undefined,
    },
    /** Of a run that moved the mark of an incremental marker. */
    markKey: { type: 'text', of: (state) => (state.status === 'succeeded' ? (state.result.mark?.key ?? null) : null) },
    open: { type: 'boolean', of: (state) => !hasEnded(state) },
  },
  listings: [
    ['policyId', 'startedAt'],
    ['policyId', 'markKey', 'startedAt'],
  ],
})

/** The documents of one run's stream. */
export function executionDocuments(
  state: ExecutionState,
  key: { tenant: string; id: string | number },
  source: Source,
): DocumentPut[] {
  if (state.status === 'none' || state.status === 'forsaken') return []
  return [documentPut(executions, key.tenant, Number(key.id), state, source)]
}
