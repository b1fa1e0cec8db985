import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import { openWorkPut } from '@assay/work'
import { seriesRuns } from '../series/series.documents.ts'
import { type Execution, type ExecutionState, execution, hasEnded } from './execution.ts'
import { executionStatusOf, resultStatusOf } from './statuses.ts'

/** One document per run: its whole state. Lists filter and sort by the fields. Times are epoch milliseconds. */
export const executions = defineCollection<Execution>({
  name: 'executions',
  version: 11,
  idType: 'integer',
  schema: execution,
  fields: {
    policyId: { type: 'integer', of: ({ run }) => run.policy.id },
    ruleName: { type: 'text', of: ({ run }) => run.policy.name },
    ruleType: { type: 'text', of: ({ run }) => run.policy.type },
    executionStatus: { type: 'text', of: executionStatusOf },
    resultStatus: { type: 'text', of: resultStatusOf },
    executionType: { type: 'text', of: ({ run }) => run.executionType },
    startedAt: { type: 'integer', of: ({ run }) => Date.parse(run.startedAt), required: true },
    finishedAt: { type: 'integer', of: (state) => (hasEnded(state) ? Date.parse(state.finishedAt) : null) },
    assemblyId: { type: 'integer', of: ({ run }) => run.sides[0].assemblyId },
    sourceTypeId: { type: 'integer', of: ({ run }) => run.sides[0].sourceTypeId },
    /** Whether rows of the run, or of a failed attempt, may still be stored. */
    rowsKept: {
      type: 'boolean',
      of: (state) => hasEnded(state) && state.attempts !== 0 && state.rowsRemovedAt === undefined,
    },
    /** Only for runs that have a marker position. */
    markKey: { type: 'text', of: (state) => (state.status === 'succeeded' ? state.result.markKey : null) },
  },
  listings: [
    ['policyId', 'startedAt'],
    ['policyId', 'markKey', 'startedAt'],
  ],
})

/** The `kind` of open runs in `openWork`. */
export const runWork = 'run'

/** The documents of one run's stream. */
export function executionDocuments(
  state: ExecutionState,
  key: { tenant: string; id: string | number },
  source: Source,
): DocumentPut[] {
  if (state.status === 'none' || state.status === 'abandoned') return []
  return [
    documentPut(executions, key.tenant, Number(key.id), state, source),
    openWorkPut({ kind: runWork, ...key, since: sinceOf(state) }, state, source),
    ...pointsPuts(state, key.tenant, source),
  ]
}

/** From when on a worker may claim it. */
function sinceOf(state: Execution): string {
  return (state.status === 'waiting' ? state.waitsUntil : undefined) ?? state.run.startedAt
}

/** Only runs that measured values have points. */
function pointsPuts(state: Execution, tenant: string, source: Source): DocumentPut[] {
  if (state.status !== 'succeeded' || state.result.points === undefined) return []
  const { executionId, startedAt, policy } = state.run
  const { points } = state.result
  const document = points && { executionId, policyId: policy.id, at: Date.parse(startedAt), points }
  return [documentPut(seriesRuns, tenant, executionId, document, source)]
}
